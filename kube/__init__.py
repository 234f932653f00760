"""The only door to the API server: types, a thin client, a list/watch cache, and an embedded API server.

The client decodes lists and watches into structs that hold only the fields that are used. Authentication comes from the
official client's configuration loader. Nothing outside this room speaks HTTP to Kubernetes.
"""
