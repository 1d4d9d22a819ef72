"""What an intruder would do with a released network; the house knows who is who."""
