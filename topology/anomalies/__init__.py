"""Cabling anomalies: what is wired otherwise than its peers, each finding with both ends of the cable.

One module a family of checks; all are pure functions of the graph and its structure. Where the evidence gives no clear
majority there is no verdict.
"""

from topology.anomalies.find import find_anomalies

__all__ = ["find_anomalies"]
