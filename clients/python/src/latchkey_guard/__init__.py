"""Lets a Python service accept Latchkey API keys."""

from ._credential import Form
from ._guard import Guard, Hooks
from ._model import (
    Credential,
    Decided,
    Decision,
    Denied,
    Failed,
    Granted,
    Principal,
    Question,
    RateLimit,
    Refused,
    decision_headers,
    refusal_body,
)
from ._request import Permission, Request

__all__ = [
    "Credential",
    "Decided",
    "Decision",
    "Denied",
    "Failed",
    "Form",
    "Granted",
    "Guard",
    "Hooks",
    "Permission",
    "Principal",
    "Question",
    "RateLimit",
    "Refused",
    "Request",
    "decision_headers",
    "refusal_body",
]
