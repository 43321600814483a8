"""For tests: the pytest fixture ``latchkey_fake``, which pytest finds by itself, and ``Latchkey``, a real one."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from ._guard import Core
from ._model import Decision, Granted, Principal, Question, Refused
from ._process import Latchkey

__all__ = ["Latchkey", "LatchkeyFake", "latchkey_fake"]


class LatchkeyFake:
    """Judges every question of every guard. Without a grant every key is refused with 401."""

    def __init__(self) -> None:
        #: What guards asked, in order.
        self.questions: list[Question] = []
        self._keys: dict[str, Decision] = {}

    def grants(
        self, key: str, *, permissions: tuple[str, ...] = ("systems:read", "systems:write"), **differences: object
    ) -> Principal:
        """A request with this key and one of these permissions is granted."""
        expires_at = datetime(2100, 1, 1, tzinfo=timezone.utc)
        fields: dict[str, object] = {"key_id": "key-1", "owner_id": "owner-1", "access": "read-and-write"}
        fields |= {"permissions": permissions, "attributes": {}, "expires_at": expires_at, **differences}
        principal = Principal(**fields)  # type: ignore[arg-type]
        self._keys[key] = Granted(principal)
        return principal

    def refuses(self, key: str, refusal: Refused) -> None:
        self._keys[key] = refusal

    def judge(self, question: Question) -> Decision:
        self.questions.append(question)
        scheme, _, bearer = question.credential.authorization.partition(" ")
        decision = self._keys.get(question.credential.api_key or (bearer if scheme.lower() == "bearer" else ""))
        if decision is None:
            return Refused(401, "INVALID_KEY")
        if not isinstance(decision, Granted):
            return decision
        if question.operation not in ("READ", "WRITE"):
            return Refused(403, "OPERATION_NOT_ALLOWED")
        principal = decision.principal
        if question.operation == "WRITE" and principal.access == "read-only":
            return Refused(403, "READ_ONLY_KEY", missing_permission=question.permission or None)
        if question.permission and not principal.covering(question.permission):
            return Refused(403, "MISSING_PERMISSION", missing_permission=question.permission)
        return decision


@pytest.fixture
def latchkey_fake(monkeypatch: pytest.MonkeyPatch) -> LatchkeyFake:
    """Replaces Latchkey for every guard, made before or in the test."""
    fake = LatchkeyFake()
    monkeypatch.setattr(Core, "fake", fake.judge)
    return fake
