"""Evidence: what the hardware says, before anybody concludes anything.

Here live the evidence types (the three report kinds and the columns of a sweep), the sources they are read from and one
probe per file that is read: a probe reads, a pure function beside it parses. Nothing here knows Kubernetes, and nothing
here decides what the evidence means: that is the topology room's work.
"""
