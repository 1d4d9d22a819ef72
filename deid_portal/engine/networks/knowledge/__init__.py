"""What somebody may know about a person, and who looks alike to whom by it."""
