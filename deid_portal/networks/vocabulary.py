"""Labels on the pages of networks; sentences of the engine are not changed."""

KNOWLEDGE_WORDS = {
    "degree": "Somebody counted how many links a person has; a look at a profile is enough.",
    "neighbour-degrees": "Somebody also knows how many links each of the person’s contacts has.",
    "neighbourhood": "Somebody knows which of the person’s contacts are linked with each other.",
    "attributes+degree": "Somebody knows the quasi-identifiers of a person and counted the links.",
}
READING_PHASES = {
    "read": ("Reading the links", 30),
    "risk": ("Counting who could be recognized", 45),
    "draw": ("Drawing it", 5),
    "compare": ("Comparing with the version before", 5),
    "profile": ("Counting the columns of the node table", 10),
    "detect": ("Looking for what points to people", 5),
}
# Labels of the parameters of methods, and of their choices.
PARAMETER_WORDS = {
    "changes": "What may change",
    "algorithm": "How the new numbers of links are found",
    "realization": "How links follow",
    "label": "Attribute that surroundings shall share",
    "effort": "Effort of the search",
    "share": "Share of links, 0.1 is a tenth",
    "kind": "How links change",
    "protects": "Who or what is protected",
    "bound": "Most links a person counts with",
}
CHOICE_WORDS = {
    "additions": "Links are only added",
    "additions-deletions": "Links are added and removed",
    "optimal": "The fewest changes there are",
    "greedy": "Quickly, for millions of people",
    "degrees": "Meet the numbers exactly, taking some links apart",
    "supergraph": "Keep every link there is",
    "replace": "Removed here, added elsewhere",
    "switch": "Two links swap their ends",
    "links": "Single links",
    "people": "People with all their links",
}
# Where a choice means something else with one method than with others: by method and choice.
CHOICE_WORDS_OF = {
    ("k-degree", "additions"): "Nobody’s number of links falls",
    ("k-degree", "additions-deletions"): "Numbers of links rise and fall",
}
