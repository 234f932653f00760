"""Kinds of which only the doctor reads anything; most of them whole, as JSON maps."""

from __future__ import annotations

from kube.meta import ObjectMeta, Wire
from kube.resources import Resource


class Named(Wire, frozen=True, kw_only=True):
    """Any object, by its name."""

    metadata: ObjectMeta = ObjectMeta()


DEFINITIONS = Resource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", False, Named
)
POLICIES = Resource(
    "admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", False, Named
)
BINDINGS = Resource(
    "admissionregistration.k8s.io",
    "v1",
    "validatingadmissionpolicybindings",
    "ValidatingAdmissionPolicyBinding",
    False,
    Named,
)
ACCOUNTS = Resource("", "v1", "serviceaccounts", "ServiceAccount", True, Named)
