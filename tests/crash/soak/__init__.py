"""The soak: load for minutes, a fault every 30 s, and at the end an account of each run.

``fleet`` keeps the processes alive, ``process_faults`` and ``server_faults`` hold one function a fault, ``lanes`` says
in what order they come, ``account`` reads what became of all runs, ``table`` shows it.
"""
