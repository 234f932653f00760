"""`hyperscout explain`: why a node, a HyperNode, a pod or a gang stands where it stands."""
