"""`hyperscout record`: what the probes of a host and of a sweeper read, into a folder that `hyperscout replay` plays.

`host` records this host, `fabric` what the discovery tool and perfquery print, `switches` SNMP walks, `folder` writes
the files, `command` is the command itself.
"""
