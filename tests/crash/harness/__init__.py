"""The fault harness: a real stack, faults to inject, and the five checks that must hold after each of them.

``servers`` is a set of PostgreSQL, RabbitMQ and Redis that tests may break; ``live`` a database and a vhost on it, with
beats and workers as real processes; ``load`` keeps them busy; ``faults`` holds the verbs; ``checks`` says what was
lost, doubled or left behind. No hook in the product: processes are parked by row locks and proxies, and killed by pid.
"""
