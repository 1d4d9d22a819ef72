"""What answers cost: a price in ε and δ, and what many prices add up to."""
