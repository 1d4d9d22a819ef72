"""Groups within which sensitive values no longer stand beside the person they belong to."""
