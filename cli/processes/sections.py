"""The sections and value types that the settings of several processes share; light enough for the agent to import."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from kube.lease import LeaseTimes


class Section(BaseModel):
    """Keys that belong together; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, allow_inf_nan=False)


class RefusedKey(ValueError):  # noqa: N818 - pydantic takes it as it takes any ValueError
    """What cannot be, of several keys together: told at the one that is to be changed, by its whole name."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(reason)
        self.key = key


def split_words(value: object) -> object:
    """Flags and the environment give lists as words with commas between."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def read_switch(value: object) -> object:
    """YAML reads `on` and `off` as truth values."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def split_address(value: str) -> tuple[str, int]:
    """`127.0.0.1:8461`, `[::1]:8461`, `:8461` (every address) as host and port; ValueError otherwise."""
    host, colon, port = value.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise ValueError("an address is HOST:PORT")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _address(value: str) -> str:
    split_address(value)
    return value


Seconds = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]
Address = Annotated[str, AfterValidator(_address), Field(json_schema_extra={"pattern": ":[0-9]{1,5}$"})]
Names = Annotated[tuple[str, ...], BeforeValidator(split_words)]


class Cluster(Section):
    """Which API server."""

    kubeconfig: str = Field(
        default="", description="Kubeconfig file; none: KUBECONFIG, ~/.kube/config, or the pod's own cluster"
    )
    namespace: str = Field(
        default="", description="Namespace of the Lease; none: that of the pod, else where hyperscout is installed"
    )


class Http(Section):
    """/healthz, /readyz and /metrics."""

    listen: Address = Field(default="127.0.0.1:8461", description="HOST:PORT to serve on; port 0 takes a free one")
    stale_after: Seconds = Field(
        default=300.0, description="/healthz fails after so many seconds without a look or a write"
    )
    tls_certificate: str = Field(
        default="", description="PEM file to serve HTTPS with, read again when it changes; none: HTTP"
    )
    tls_key: str = Field(default="", description="PEM file of its key")

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise ValueError("tlsCertificate and tlsKey are given together")
        return self

    def check_outlasts(self, seconds: float, keys: str) -> None:
        """RefusedKey where a process that is well may be silent for longer, as these keys say."""
        if self.stale_after <= seconds:
            raise RefusedKey(
                "http.staleAfter",
                f"{seconds:g} s may pass between two signs of life ({keys}), so /healthz would fail while all is well; "
                "set it higher",
            )


class Log(Section):
    """Lines on stderr."""

    level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="The least that is logged")
    format: Literal["auto", "json", "text"] = Field(
        default="auto", description="auto: text on a terminal, JSON elsewhere"
    )


class Lease(Section):
    """Leadership among replicas."""

    duration: Seconds = Field(
        default=LeaseTimes().duration, description="Seconds without a renewal until others may take it"
    )
    renew_deadline: Seconds = Field(
        default=LeaseTimes().renew_deadline,
        description="Seconds without a renewal until the leader itself stops writing",
    )
    retry_period: Seconds = Field(
        default=LeaseTimes().retry_period, description="Seconds between two attempts to renew or take it"
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.retry_period < self.renew_deadline < self.duration:
            raise ValueError("retryPeriod must be shorter than renewDeadline, and this shorter than duration")
        return self

    def times(self) -> LeaseTimes:
        """As the election takes them."""
        return LeaseTimes(self.duration, self.renew_deadline, self.retry_period)
