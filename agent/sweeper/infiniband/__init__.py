"""The sweep of InfiniBand: every subnet and plane that this host has a port in, then the counters of the switch ports.

`vantage` of discovery finds the ports, `subnets` runs the discovery tool on them, `reading` reads what one run gave,
`merging` makes one view of all runs, `counting` reads counters, `histories` makes verdicts of both, `reader` joins all.
"""
