"""The sweeper of one fabric: reads it now and then, by a tool or by SNMP, and keeps the reports of its switches true.

One process a fabric holds the Lease and sweeps; a second one stands by. It reads whole fabrics, so it may use numpy.
"""
