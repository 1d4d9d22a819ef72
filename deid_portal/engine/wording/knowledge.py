"""Background knowledge about a person in a network, in the words used on pages."""

KNOWLEDGE_TITLES = {
    "degree": "Number of links",
    "neighbour-degrees": "Links of contacts, too",
    "neighbourhood": "Who of the contacts know each other",
    "attributes+degree": "Attributes and number of links",
}
# Phrases to follow "somebody who knows".
KNOWLEDGE_PHRASES = {
    "degree": "how many links people have",
    "neighbour-degrees": "how many links people and their contacts have",
    "neighbourhood": "which of their contacts know each other",
    "attributes+degree": "their attributes and how many links they have",
}
