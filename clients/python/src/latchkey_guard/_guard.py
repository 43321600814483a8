"""The guard: one for each process, for as long as it lives."""

from __future__ import annotations

import json
import logging
import os
import re
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass, replace

from ._credential import Form, challenge_for, check_forms, credential_texts, read_credential
from ._leases import ALONE, Clocks, Leases, Step, Wish
from ._model import (
    UNAVAILABLE,
    Decided,
    Decision,
    Denied,
    Failed,
    Lease,
    Operation,
    Question,
    Refused,
    UnreadableAnswer,
    read_answer,
)
from ._request import OPERATIONS, ClientAddress, Permission, Request, check_route, fill_in, plain_address
from ._transport import Answer, Failure, Target, Transport

_log = logging.getLogger("latchkey_guard")
_SERVICE = "/latchkey.v1.ApiKeyService/"
#: Of the longest form, below 48 KiB in a report.
_MOST_REPORTED = 50


@dataclass(frozen=True)
class Hooks:
    """For metrics and logs. None of them gets the key, and one that raises changes no decision."""

    on_decision: Callable[[Decided], object] | None = None
    on_denied: Callable[[Denied], object] | None = None
    on_error: Callable[[Failed], object] | None = None


class Core:
    """What both guards share: it neither waits nor calls.

    :param target: Latchkey's SERVICES_PORT: ``https://latchkey.internal:3080``, or ``http:`` to this machine
    :param service_token: of a service identity with the role validator; not needed with a client certificate in ``tls``
    :param deadline_ms: how long a request waits for its decision at most; then it is answered 503
    :param credentials: the forms in which a request may carry its key: ``bearer``, ``x-api-key``, ``basic``
    :param key_prefix: Latchkey's KEY_PREFIX, by which ``otherwise`` knows a key
    :param leases: whether requests of a key are granted without a call for a moment after Latchkey granted one
    :raises ValueError: an option is unusable; the message never has the token
    """

    def __init__(
        self,
        target: str,
        service_token: str | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        insecure: bool = False,
        deadline_ms: float = 200,
        client_address: ClientAddress | None = None,
        credentials: Sequence[Form] = ("bearer",),
        key_prefix: str = "lk",
        leases: bool = False,
        hooks: Hooks | None = None,
        clocks: Clocks | None = None,
    ) -> None:
        if not service_token and tls is None:
            raise ValueError("service_token is missing (or tls with a client certificate)")
        if not re.fullmatch(r"[\x21-\x7e]*", service_token or ""):
            raise ValueError("service_token contains spaces or characters beyond ASCII")
        if not 0 < deadline_ms < 1e9:
            raise ValueError("deadline_ms is not a positive number")
        if not re.fullmatch(r"[a-z][a-z0-9]{0,15}", key_prefix):
            raise ValueError("key_prefix is not 1 to 16 lower-case letters and digits, a letter first")
        check_forms(credentials)
        # After a character of a token, the marker is part of another one, such as a JWT.
        self._marker = re.compile(rf"(^|[^A-Za-z0-9._~+/-]){key_prefix}_")
        self._target = Target.of(target, tls, insecure)
        self._token, self._deadline_s, self._client_address = service_token, deadline_ms / 1000, client_address
        self._forms = tuple(credentials)
        self._hooks, self._clocks = hooks or Hooks(), clocks or Clocks()
        self._leases = Leases(self._clocks) if leases else None
        self._is_closed = False
        self._logged_at, self._unlogged = float("-inf"), 0
        self._open()
        if hasattr(os, "register_at_fork"):
            begin_empty = weakref.WeakMethod(self._begin_empty)
            os.register_at_fork(after_in_child=lambda: (method := begin_empty()) and method())

    #: Judges in the place of Latchkey, in tests.
    fake: Callable[[Question], Decision] | None = None

    @property
    def leases(self) -> tuple[int, int]:
        """For metrics: the leases that are held now, and how many requests were granted from leases."""
        return (self._leases.held, self._leases.spent) if self._leases else (0, 0)

    def is_api_key(self, request: Request) -> bool:
        """Whether a request carries what looks like an API key. Imported keys have no marker."""
        return any(map(self._marker.search, credential_texts(self._forms, request.values)))

    def question(self, request: Request, permission: Permission, operation: Operation | None = None) -> Question:
        """A request whose parameters can't be part of a permission counts as DESTROY, like an unknown method: a client
        without a good key still gets 401."""
        does = operation or OPERATIONS.get(request.method, "DESTROY")
        template = (permission[does != "READ"] if isinstance(permission, tuple) else permission) or ""
        filled = fill_in(template, request) if "{" in template else template
        if filled is None:
            does, filled = "DESTROY", ""
        try:
            own = self._client_address
            address = plain_address((own(request) or "") if own else "" if request.is_forwarded() else request.peer)
        except Exception:
            address = ""
        credential = read_credential(self._forms, request.values)
        return Question(credential, does, filled, template, address, request.values)

    def _begin_empty(self) -> None:
        """A child after a fork has no connections, leases and counts of its parent, and none of its locks."""
        if self._leases:
            self._leases = Leases(self._clocks)
        self._open()

    def _open(self) -> None:
        raise NotImplementedError

    def _report_from_now_on(self) -> None:
        raise NotImplementedError

    def _renew(self, question: Question, wish: Wish) -> None:
        raise NotImplementedError

    def _lease(self, question: Question, has_waited: bool = False) -> Step:
        if not self._leases or self._is_closed or self.fake:
            return ALONE
        step = granted, wish, _ = self._leases.step(question, has_waited)
        if wish:
            self._report_from_now_on()
            if granted:
                self._renew(question, wish)
        return step

    def _body(self, question: Question, wish: Wish | None) -> bytes:
        fields: dict[str, object] = {
            "requestId": question.request_id,
            **question.credential.fields,
            "operation": f"OPERATION_{question.operation}",
            "permission": question.permission,
            "clientIp": question.client_ip,
            "userAgent": question.user_agent,
        }
        if wish:
            understands = ["KEY_RESTRICTION_PERMISSIONS", "KEY_RESTRICTION_NETWORKS"]
            fields["leaseWish"] = {"uses": wish.uses, "understands": understands}
        return json.dumps(fields).encode()

    def _read(self, question: Question, answer: Answer) -> tuple[Decision, Lease | None]:
        """:raises Failure: it is no usable answer to this question"""
        try:
            if answer.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                raise UnreadableAnswer("an answer of another type: is target Latchkey's SERVICES_PORT?")
            read = json.loads(answer.body, object_pairs_hook=_members)
            if not isinstance(read, dict):
                raise UnreadableAnswer("an answer that is no object")
            if answer.status == 200:
                if read.get("requestId") != question.request_id:
                    raise UnreadableAnswer("the answer to another request")
                decided = read_answer(read, question.permission, answer.headers.get("latchkey-ratelimit-window"))
                if decided[0].status == 401 and self._leases:
                    self._leases.drop(question.credential)
                return decided
            code, message = str(read.get("code", "unknown")).upper(), str(read.get("message", ""))
            raise Failure(code, message[:200], may_retry=answer.status == 503 and code == "UNAVAILABLE")
        except (UnreadableAnswer, ValueError, RecursionError) as error:
            raise Failure("UNREADABLE_ANSWER", str(error)[:200]) from None

    def _failed(self, failure: Failure, question: Question, wish: Wish | None) -> None:
        """Logs the first failure, and then at most one line a minute. No request fails with the renewal of a lease."""
        if wish and wish.renewing:
            return
        self._call(self._hooks.on_error, Failed(failure.code, failure.message, question.request_id))
        self._unlogged += 1
        if time.monotonic() - self._logged_at >= 60:
            _log.error("%d requests were answered with 503: %s (%s)", self._unlogged, failure.code, failure.message)
            self._logged_at, self._unlogged = time.monotonic(), 0

    def _decided(self, question: Question, decision: Decision, begun: float, source: str) -> Decision:
        if "x-api-key" in self._forms:
            decision = replace(decision, is_private=True)
        if decision.status == 401:
            decision = replace(decision, challenge=challenge_for(self._forms, question.values))
        if isinstance(decision, Refused) and decision.status != 503:
            self._call(self._hooks.on_denied, Denied(decision, question))
        if self._hooks.on_decision:
            latency_ms = (time.monotonic() - begun) * 1000
            label = question.template or question.permission
            event = Decided(decision.status, question.operation, label, latency_ms, question.request_id, source)  # type: ignore[arg-type]
            self._call(self._hooks.on_decision, event)
        return decision

    @staticmethod
    def _call(hook: Callable[..., object] | None, event: object) -> None:
        try:
            if hook:
                hook(event)
        except Exception:
            _log.exception("a hook failed")

    def _reports(self) -> list[bytes]:
        uses = self._leases.tidy() if self._leases else []
        portions = [uses[at : at + _MOST_REPORTED] for at in range(0, len(uses), _MOST_REPORTED)]
        return [json.dumps({"uses": portion}).encode() for portion in portions]


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise UnreadableAnswer("an answer with a member that comes twice")
    return members


class Guard(Core):
    """For threads: WSGI, Flask, Django. The options are those of :class:`Core`."""

    def check(self, question: Question) -> Decision:
        """Never raises: without a usable answer within the deadline the decision is a refusal with 503."""
        begun = time.monotonic()
        granted, wish, others = self._lease(question)
        if others:
            with suppress(FutureTimeout):
                others.result(max(0.0, begun + self._deadline_s - time.monotonic()))
            granted, wish, _ = self._lease(question, has_waited=True)
        if granted:
            return self._decided(question, granted, begun, "lease")
        return self._decided(question, self._ask(question, begun, wish), begun, "service")

    def protect(self, request: Request, permission: Permission, operation: Operation | None = None) -> Decision:
        """Checks one request of a web framework that this package has no adapter for."""
        check_route(permission, operation)
        return self.check(self.question(request, permission, operation))

    def close(self) -> None:
        """Reports what leases were used for, and closes the connections. Later questions are refused with 503."""
        self._is_closed = True
        self._stop.set()
        self._report()
        self._transport.close()

    def _open(self) -> None:
        self._transport = Transport(self._target, self._token)
        self._stop = threading.Event()
        self._is_reporting = False

    def _renew(self, question: Question, wish: Wish) -> None:
        if self._leases and not _begin(self._ask, question, time.monotonic(), wish):
            self._leases.ended(wish, UNAVAILABLE, None)

    def _ask(self, question: Question, begun: float, wish: Wish | None) -> Decision:
        if self.fake:
            return self.fake(question)
        decision: Decision = UNAVAILABLE
        lease: Lease | None = None
        deadline = begun + self._deadline_s
        try:
            for is_last in (False, True):
                sent = time.monotonic()
                try:
                    if self._is_closed:
                        raise Failure("UNAVAILABLE", "the guard is closed")
                    answer = self._transport.post(f"{_SERVICE}ValidateKey", self._body(question, wish), deadline)
                    decision, lease = self._read(question, answer)
                    break
                except Failure as failure:
                    if is_last or not _may_retry(failure, sent, deadline):
                        self._failed(failure, question, wish)
                        break
        finally:
            # Also for a thread that is ended: nobody else's request waits for it.
            if wish and self._leases:
                self._leases.ended(wish, decision, lease)
        return decision

    def _report_from_now_on(self) -> None:
        if not self._is_reporting:
            self._is_reporting = _begin(self._report_each_second)

    def _report_each_second(self) -> None:
        while not self._stop.wait(1):
            self._report()

    def _report(self) -> None:
        deadline = time.monotonic() + 1
        for body in self._reports():
            # A report is sent once.
            with suppress(Failure):
                self._transport.post(f"{_SERVICE}ReportUses", body, deadline)


def _may_retry(failure: Failure, sent: float, deadline: float) -> bool:
    """Whether there is time for a second call that takes as long as the first."""
    now = time.monotonic()
    return failure.may_retry and now + (now - sent) < deadline


def _begin(work: Callable[..., object], *args: object) -> bool:
    """In the background. False: the system has no more threads."""
    try:
        threading.Thread(target=work, args=args, daemon=True).start()
    except RuntimeError:
        return False
    return True
