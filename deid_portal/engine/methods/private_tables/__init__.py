"""Tables with differential privacy: a secret sample, and made-up records of private counts."""
