"""The exact statements: one ``.sql`` file each, beside the module that loads it. No transaction is opened here."""
