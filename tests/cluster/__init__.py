"""The real Kubernetes programs that tests run. Nothing of it is part of the product.

The folders with a `go.mod` pin them; `programs` finds or builds them, `build` is the command that builds them ahead of
time. `control_plane` starts them; `conftest.py` of the whole suite hands one started control plane to the tests.
"""
