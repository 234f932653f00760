"""`hyperscout doctor`: looks through a cluster and says in sentences what of it does not fit, and what to do.

It only reads, and asks what accounts may do. What it may not see is said to be unknown, never fine.
"""
