"""The installation: what kustomize and the charts render, and what a real cluster makes of it."""
