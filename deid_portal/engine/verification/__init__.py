"""What a package says of its table, and finding out whether it is true. Needs only the package."""
