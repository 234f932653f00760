"""Keys, certificates, static tokens and kubeconfigs of one control plane, made by openssl in its folder."""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ADMIN, CONTROLLER_MANAGER, SCHEDULER = "admin", "system:kube-controller-manager", "system:kube-scheduler"
_GROUPS = {ADMIN: "system:masters", CONTROLLER_MANAGER: "", SCHEDULER: ""}
_ELLIPTIC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30")
_NAMES = "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes.default.svc"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who is who. Everything lies in `folder`."""

    folder: Path
    tokens: dict[str, str] = field(default_factory=lambda: {user: secrets.token_hex(16) for user in _GROUPS})

    @property
    def authority(self) -> Path:
        """The certificate that signed the serving certificate."""
        return self.folder / "ca.crt"

    @property
    def certificate(self) -> Path:
        """The serving certificate, for every program on the loopback address."""
        return self.folder / "server.crt"

    @property
    def key(self) -> Path:
        """The key of the serving certificate."""
        return self.folder / "server.key"

    @property
    def signing_key(self) -> Path:
        """The key that signs ServiceAccount tokens."""
        return self.folder / "accounts.key"

    @property
    def token_file(self) -> Path:
        """The static tokens, as kube-apiserver reads them."""
        return self.folder / "tokens.csv"

    def write(self) -> None:
        """Make all of them. Raises RuntimeError where openssl is missing or fails."""
        self.folder.mkdir(parents=True, exist_ok=True)
        ca_key = self.folder / "ca.key"
        made = ("-x509", "-subj", "/CN=hyperscout tests", "-addext", "basicConstraints=critical,CA:TRUE")
        _openssl("req", *_ELLIPTIC, *made, "-keyout", str(ca_key), "-out", str(self.authority))
        signed = ("-x509", "-CA", str(self.authority), "-CAkey", str(ca_key), "-subj", "/CN=127.0.0.1")
        leaf = ("-addext", _NAMES, "-addext", "basicConstraints=critical,CA:FALSE")
        _openssl("req", *_ELLIPTIC, *signed, *leaf, "-keyout", str(self.key), "-out", str(self.certificate))
        _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(self.signing_key))
        lines = [f'{self.tokens[user]},{user},{user},"{groups}"' for user, groups in _GROUPS.items()]
        self.token_file.write_text("\n".join(lines) + "\n")

    def kubeconfig(self, url: str, token: str, namespace: str = "default") -> str:
        """The text of a kubeconfig; JSON is YAML."""
        context = {"cluster": "tests", "user": "tests", "namespace": namespace}
        return json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [
                    {"name": "tests", "cluster": {"server": url, "certificate-authority": str(self.authority)}}
                ],
                "users": [{"name": "tests", "user": {"token": token}}],
                "contexts": [{"name": "tests", "context": context}],
                "current-context": "tests",
            }
        )

    def write_kubeconfig(self, user: str, url: str) -> Path:
        """A kubeconfig file of one of the users with a static token."""
        file = self.folder / f"{user.rpartition(':')[2]}.kubeconfig"
        file.write_text(self.kubeconfig(url, self.tokens[user]))
        return file


def _openssl(*arguments: str) -> None:
    if shutil.which("openssl") is None:
        raise RuntimeError("certificates for the control plane need openssl on PATH (Debian: apt-get install openssl)")
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"openssl {' '.join(arguments)} failed:\n{done.stderr}")
