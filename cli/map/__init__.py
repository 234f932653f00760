"""`hyperscout map`: captured scans in; the tree, JSON, HyperNode manifests or a drawing out."""
