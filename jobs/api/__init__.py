"""The HTTP API under ``/v1``. Its contract: RFC 9110 (202), AIP-151 operations, RFC 9457 problems.

A team's own views get the same shape with ``from jobs.api.views import long_running``.
"""
