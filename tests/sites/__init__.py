"""Draws the recordings below `fixtures/`: sites with a story, in the files that `hyperscout record` writes.

`python -m tests.sites` writes them anew. A test holds the folders equal to what is drawn here; their expected results
are written by `hyperscout replay --write-expected` and checked against the stories by hand-written facts.
"""
