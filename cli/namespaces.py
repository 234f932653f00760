"""Where hyperscout is installed. The names are fixed: the admission policies know the accounts by them."""

SYSTEM = "hyperscout-system"
"""Controller and scheduler, their Leases and the journal."""
NODE = "hyperscout-node"
"""Agents and sweepers, and the sweepers' Leases."""
