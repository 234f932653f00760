"""The journal of the last changes: what a change is, and the ring of ConfigMaps that keeps them."""
