"""The noise of an answer: in whole steps of a grid, foretold before anything is drawn."""
