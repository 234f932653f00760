"""The sweep of an Ethernet fabric: its switches are asked one by one by SNMP.

`resolving` makes addresses of names, `asking` asks them side by side and leaves those alone that do not answer,
`histories` judges their ports, `concluding` makes a Sweep of it all, `reader` does one after the other.
"""
