"""How methods change a network: a draft of it, changes on top of its links, degrees realized."""
