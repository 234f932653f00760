"""The kinds that only the demo on a real cluster knows, and those of evidence."""

from __future__ import annotations

from kube.meta import ObjectMeta, Wire
from kube.resources import NODE_REPORTS, SWEEP_REPORTS, SWITCH_REPORTS, Resource

REPORTS = (NODE_REPORTS, SWITCH_REPORTS, SWEEP_REPORTS)


class Named(Wire, frozen=True, kw_only=True):
    """An object of which only the metadata matters."""

    metadata: ObjectMeta = ObjectMeta()


NAMESPACES = Resource("", "v1", "namespaces", "Namespace", namespaced=False, type=Named)
SERVICE_ACCOUNTS = Resource("", "v1", "serviceaccounts", "ServiceAccount", namespaced=True, type=Named)
