"""The `changes` command: what changed lately, from the controller's journal."""
