"""The sweeper of one fabric: runs the discovery tool now and then and keeps the reports of its switches true.

One process a fabric holds the Lease and sweeps; a second one stands by. It reads whole fabrics, so it may use numpy.
"""
