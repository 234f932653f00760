"""Recordings: what the probes of hosts and sweepers read, in plain files; and the same read again.

`layout` says which file holds what, `hostfile` holds the sysfs and procfs of a host in one text, `snmprec` the walk of
a switch, `perfquery` the counters of ports. `manifest` says when and with what a folder was recorded, `reading` gives
it back moment by moment, `taking` takes what a probe reads, `anonymising` gives everything other names.
docs/reference/fixtures.md describes the format.
"""
