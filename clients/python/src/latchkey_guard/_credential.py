"""Where a request carries its key. The table is clients/conformance/credentials.json."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Literal, get_args
from urllib.parse import urlsplit

from ._model import Credential, Values

#: ``Authorization: Bearer``, ``X-API-Key``, and ``Authorization: Basic`` with the key as password of any user name.
Form = Literal["bearer", "x-api-key", "basic"]

_LONGEST = 4096
#: Servers join headers of the same name by a comma.
_BEARER = re.compile(r"(?:^|, *)bearer(?: |$)", re.I)
_BASIC = re.compile(r"basic(?: |$)", re.I)
_OF_BROWSERS = ("origin", "sec-fetch-site", "upgrade-insecure-requests")


def check_forms(forms: Sequence[Form]) -> None:
    """:raises ValueError: not one form, or one that does not exist"""
    if isinstance(forms, str) or not forms or any(each not in get_args(Form) for each in forms):
        raise ValueError(f"credentials must be a list of: {', '.join(get_args(Form))}")


def read_credential(forms: Sequence[Form], values: Values) -> Credential:
    """The only credential of a request. Each header that an enabled form uses counts as one, whatever its scheme.
    Several are sent as an empty one: the client must not learn that one of them was good."""
    authorization = values("authorization") if "bearer" in forms or "basic" in forms else []
    keys = values("x-api-key") if "x-api-key" in forms else []
    # A comma joins two headers of the same name, and no key has one.
    if len(authorization) + len(keys) != 1 or "," in (only := (authorization or keys)[0]):
        return Credential()
    if keys:
        return Credential(only[:_LONGEST])
    if "basic" in forms and _BASIC.match(only):
        return Credential() if _is_from_other_site(values) else Credential(_password(only)[:_LONGEST])
    return Credential("", only[:_LONGEST]) if "bearer" in forms else Credential()


def challenge_for(forms: Sequence[Form], values: Values) -> str:
    """Of an answer of 401. Browsers would ask a person for a password, and remember it."""
    authorization, keys = _headers(forms, values)
    has_bearer = "bearer" in forms and any(map(_BEARER.search, authorization))
    is_basic = "basic" in forms and not keys and not has_bearer and not any(map(values, _OF_BROWSERS))
    return 'Basic realm="api"' if is_basic else "Bearer"


def credential_texts(forms: Sequence[Form], values: Values) -> list[str]:
    """Every text of a request in which a key may stand, whatever else is wrong with it."""
    authorization, keys = _headers(forms, values)
    return [*authorization, *keys, *(map(_password, authorization) if "basic" in forms else ())]


def _headers(forms: Sequence[Form], values: Values) -> tuple[list[str], list[str]]:
    has_authorization = "bearer" in forms or "basic" in forms
    return values("authorization") if has_authorization else [], values("x-api-key") if "x-api-key" in forms else []


def _password(header: str) -> str:
    """What follows the first colon (RFC 7617) in the canonical base64 (RFC 4648, section 4); else empty."""
    encoded = header[len("basic ") :] if _BASIC.match(header) else ""
    try:
        decoded = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return ""
    is_canonical = base64.b64encode(decoded).decode() == encoded
    return decoded.decode("latin-1").partition(":")[2] if is_canonical else ""


def _is_from_other_site(values: Values) -> bool:
    """Browsers add a remembered password to requests that pages of other sites make."""
    if any(site not in ("none", "same-origin") for site in values("sec-fetch-site")):
        return True
    return any(not _is_at(origin, values("host")) for origin in values("origin"))


def _is_at(origin: str, hosts: list[str]) -> bool:
    scheme = re.match(r"https?(?=://)", origin)
    return bool(scheme and len(hosts) == 1 and _place(origin) == _place(f"{scheme[0]}://{hosts[0]}") is not None)


def _place(url: str) -> tuple[str, int] | None:
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname and "@" not in parts.netloc else None
