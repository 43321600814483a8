"""The guard for asyncio, on httpx: ``pip install 'latchkey-guard[async]'``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress

import httpx

from ._guard import _SERVICE, Core
from ._leases import Leases, Wish
from ._model import UNAVAILABLE, Decision, Granted, Lease, Operation, Question
from ._request import Permission, Request, check_permission
from ._transport import Answer, Failure

_MOST_BYTES = 64 * 1024


class AsyncGuard(Core):
    """For asyncio: ASGI, FastAPI, Starlette. The options are those of :class:`Core`. One for each event loop."""

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        host = f"[{self._target.host}]" if ":" in self._target.host else self._target.host
        self._url = f"{'https' if self._target.tls else 'http'}://{host}:{self._target.port}"
        self._headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if self._token:
            self._headers["authorization"] = f"Bearer {self._token}"
        self._tasks: set[asyncio.Task[object]] = set()
        self._open()

    async def check(self, question: Question) -> Decision:
        """Never raises but CancelledError: without a usable answer within the deadline it refuses with 503."""
        begun = time.monotonic()
        if self.fake:
            return self._decided(question, self.fake(question), begun, "service")
        leases = None if self._is_closed else self._leases
        if leases and (granted := self._from_lease(leases, question)):
            return self._decided(question, granted, begun, "lease")
        coming = leases.next(question) if leases else None
        if isinstance(coming, Future):
            # Unlike wait_for, this cancels nothing.
            call = asyncio.wrap_future(coming)
            left = max(0.0, begun + self._deadline_s - time.monotonic())
            if not (await asyncio.wait({asyncio.ensure_future(asyncio.shield(call))}, timeout=left))[0]:
                self._failed(Failure("DEADLINE_EXCEEDED", "no answer within the deadline"), question)
                return self._decided(question, UNAVAILABLE, begun, "service")
            if leases and (granted := self._from_lease(leases, question)):
                return self._decided(question, granted, begun, "lease")
            coming = None
        return self._decided(question, await self._ask(question, begun, coming), begun, "service")

    async def protect(self, request: Request, permission: Permission, operation: Operation | None = None) -> Decision:
        """Checks one request of a web framework that this package has no adapter for."""
        check_permission(permission)
        return await self.check(self.question(request, permission, operation))

    async def aclose(self) -> None:
        """Reports what leases were used for, and closes the connections. Later questions are refused with 503."""
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        await self._report()
        await self._client.aclose()

    def _open(self) -> None:
        verify = self._target.tls or False  # There is nothing to verify in plain text.
        limits = httpx.Limits(keepalive_expiry=60)
        self._client = httpx.AsyncClient(
            base_url=self._url,
            headers=self._headers,
            verify=verify,
            limits=limits,
            trust_env=False,
            follow_redirects=False,
        )

    def _from_lease(self, leases: Leases, question: Question) -> Granted | None:
        found = leases.grant(question)
        if not found:
            return None
        granted, renewal = found
        if not self._tasks:
            self._start(self._report_each_second())
        if renewal:
            self._start(self._ask(question, time.monotonic(), renewal))
        return granted

    def _start(self, work: Coroutine[object, object, object]) -> None:
        task: asyncio.Task[object] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, question: Question, begun: float, wish: Wish | None) -> Decision:
        decision: Decision = UNAVAILABLE
        lease: Lease | None = None
        deadline = begun + self._deadline_s
        try:
            for attempt in (1, 2):
                sent = time.monotonic()
                try:
                    if self._is_closed:
                        raise Failure("UNAVAILABLE", "the guard is closed")
                    answer = await self._post("ValidateKey", self._body(question, wish), deadline)
                    decision, lease = self._read(question, answer)
                    break
                except Failure as failure:
                    now = time.monotonic()
                    if attempt == 2 or not failure.may_retry or now + (now - sent) >= deadline:
                        if not (wish and wish.renews):
                            self._failed(failure, question)
                        break
        finally:
            # Also for a request that is cancelled: nobody else's request waits for it.
            if wish and self._leases:
                self._leases.ended(wish, decision, lease)
        return decision

    async def _post(self, method: str, body: bytes, deadline: float) -> Answer:
        """:raises Failure:"""
        left = deadline - time.monotonic()
        try:
            return await asyncio.wait_for(self._exchange(method, body, left), left)
        except (asyncio.TimeoutError, httpx.TimeoutException):
            raise Failure("DEADLINE_EXCEEDED", "no answer within the deadline") from None

    async def _exchange(self, method: str, body: bytes, left: float) -> Answer:
        headers = {"connect-timeout-ms": str(max(0, int(left * 1000)))}
        has_begun = False
        try:
            post = self._client.stream("POST", f"{_SERVICE}{method}", content=body, headers=headers, timeout=left)
            async with post as response:
                has_begun = True
                received = b""
                # Raw: an answer that is compressed is none of Latchkey's.
                async for part in response.aiter_raw():
                    received += part
                    if len(received) > _MOST_BYTES:
                        raise Failure("UNREADABLE_ANSWER", "an answer of more than 64 KiB")
                return Answer(response.status_code, dict(response.headers), received)
        except (httpx.NetworkError, httpx.ProtocolError) as error:
            raise Failure("UNAVAILABLE", type(error).__name__, may_retry=not has_begun) from None

    async def _report_each_second(self) -> None:
        while True:
            await asyncio.sleep(1)
            await self._report()

    async def _report(self) -> None:
        for body in self._reports():
            # A report is sent once.
            with suppress(Failure):
                await self._post("ReportUses", body, time.monotonic() + 1)

    def _begin_empty(self) -> None:
        super()._begin_empty()
        self._tasks = set()
        self._open()
