"""What a question is about: which people, and which values their columns may hold."""
