"""The contract: what our programs rely on in an API server, by plain HTTP and by kubectl.

The tests know a base URL and a token only, so they hold for the embedded server and for a real kube-apiserver alike.
Every test makes objects under names of its own, for a real server outlives a test.
"""
