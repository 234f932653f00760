"""Writes on HyperNodes: a plan's steps, and what is done where somebody else writes the same objects."""
