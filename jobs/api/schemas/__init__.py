"""What requests bring, and what answers look like. Values are judged by the definition's own rules (jobs.domain)."""
