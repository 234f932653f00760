"""The real Kubernetes programs that tests run: where they come from.

`kubernetes/` is a Go module that pins them; `kubectl` finds or builds them. Nothing of it is part of the product.
"""
