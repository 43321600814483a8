"""What a lease grants, by Latchkey's own rule. The table is clients/conformance/judgement.json."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from ._model import Lease, Principal, Question
from ._request import plain_address


def covered_by(lease: Lease, principal: Principal, question: Question) -> str | None:
    """The key's permission that covers the question's. None: the lease does not grant it."""
    operation = question.operation
    if operation not in ("READ", "WRITE") or (operation == "WRITE" and principal.access == "read-only"):
        return None
    if lease.allowed_networks and not _is_within(question.client_ip, lease.allowed_networks):
        return None
    if question.permission:
        is_own = question.permission in principal.permissions
        return question.permission if is_own else principal.covering(question.permission) or None
    has_action = any(each.endswith(f":{operation.lower()}") for each in principal.permissions)
    return "" if has_action or not lease.has_own_permissions else None


def _is_within(address: str, networks: tuple[str, ...]) -> bool:
    try:
        client = ip_address(plain_address(address))
        return any(client in ip_network(each, strict=False) for each in networks)
    except ValueError:
        return False
