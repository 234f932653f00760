"""ServiceAccount tokens as the API server would sign them, but for what a test changes: ES256 by openssl.

Source: RFC 7515 (JSON Web Signature), RFC 7518 section 3.4 (ES256: r and s, 32 bytes each).
"""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path
from typing import Any


def claims_in(token: str) -> dict[str, Any]:
    """What a token claims."""
    part = token.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))))


def signed_again(token: str, key: Path, claims: dict[str, Any]) -> str:
    """The token with other claims, signed with the key."""
    head, payload = token.split(".")[0], _encoded(json.dumps(claims).encode())
    signing = ("openssl", "dgst", "-sha256", "-sign", str(key))
    done = subprocess.run(signing, input=f"{head}.{payload}".encode(), capture_output=True, check=True)
    return f"{head}.{payload}.{_encoded(_raw(done.stdout))}"


def _raw(der: bytes) -> bytes:
    """SEQUENCE { INTEGER r, INTEGER s } as r and s of 32 bytes."""
    r_length = der[3]
    r, s = der[4 : 4 + r_length], der[6 + r_length :]
    return b"".join(part.lstrip(b"\0").rjust(32, b"\0") for part in (r, s))


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
