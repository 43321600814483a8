"""The guard for asyncio, on httpcore, which comes with httpx: ``pip install 'latchkey-guard[async]'``."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Coroutine
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, cast

import httpcore

from ._guard import _SERVICE, Core, _may_retry
from ._leases import Wish
from ._model import UNAVAILABLE, Decision, Lease, Operation, Question
from ._request import Permission, Request, check_route
from ._transport import _IDLE_S, _MOST_BYTES, Answer, Failure

#: Whether the answer to this task's call has begun. httpcore raises the same error for a connection that is closed
#: before an answer and within its head.
_has_begun: ContextVar[bool] = ContextVar("_has_begun")


class _Stream(httpcore.AsyncNetworkStream):
    """A connection of httpcore that notes when it receives something."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        received = await self._stream.read(max_bytes, timeout)
        if received:
            _has_begun.set(True)
        return received

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> _Stream:
        return _Stream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Network(httpcore.AsyncNetworkBackend):
    # The extra installs anyio. Without it, httpcore has a stub of this name.
    _own = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())

    async def connect_tcp(self, *args: Any, **options: Any) -> _Stream:
        return _Stream(await self._own.connect_tcp(*args, **options))


class AsyncGuard(Core):
    """For asyncio: ASGI, FastAPI, Starlette. The options are those of :class:`Core`. One for each event loop."""

    async def check(self, question: Question) -> Decision:
        """Never raises but CancelledError: without a usable answer within the deadline it refuses with 503."""
        begun = time.monotonic()
        granted, wish, others = self._lease(question)
        if others:
            # Unlike wait_for, this cancels nothing.
            left = max(0.0, begun + self._deadline_s - time.monotonic())
            await asyncio.wait({asyncio.wrap_future(others)}, timeout=left)
            granted, wish, _ = self._lease(question, has_waited=True)
        if granted:
            return self._decided(question, granted, begun, "lease")
        # A cancelled request leaves its call running: others may wait for it, and its connection stays usable.
        decision = await asyncio.shield(self._start(self._ask(question, begun, wish)))
        return self._decided(question, decision, begun, "service")

    async def protect(self, request: Request, permission: Permission, operation: Operation | None = None) -> Decision:
        """Checks one request of a web framework that this package has no adapter for."""
        check_route(permission, operation)
        return await self.check(self.question(request, permission, operation))

    async def aclose(self) -> None:
        """Reports what leases were used for, and closes the connections. Later questions are refused with 503."""
        self._is_closed = True
        if self._reporter:
            self._reporter.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        await self._report()
        await self._pool.aclose()

    def _open(self) -> None:
        authority = self._target.authority
        self._service = f"{'https' if self._target.tls else 'http'}://{authority}{_SERVICE}"
        self._headers = [("host", authority), ("content-type", "application/json")]
        if self._token:
            self._headers.append(("authorization", f"Bearer {self._token}"))
        # No environment variable names a proxy, and no redirect is followed.
        self._pool = httpcore.AsyncConnectionPool(
            self._target.tls, max_connections=None, keepalive_expiry=_IDLE_S, network_backend=_Network()
        )
        #: The event loop keeps no task alive.
        self._calls: set[asyncio.Task[Decision]] = set()
        self._reporter: asyncio.Task[None] | None = None

    def _start(self, call: Coroutine[None, None, Decision]) -> asyncio.Task[Decision]:
        task = asyncio.ensure_future(call)
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        return task

    def _renew(self, question: Question, wish: Wish) -> None:
        self._start(self._ask(question, time.monotonic(), wish))

    def _report_from_now_on(self) -> None:
        if not self._reporter or self._reporter.done():
            self._reporter = asyncio.ensure_future(self._report_each_second())

    async def _ask(self, question: Question, begun: float, wish: Wish | None) -> Decision:
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
                    answer = await self._post("ValidateKey", self._body(question, wish), deadline)
                    decision, lease = self._read(question, answer)
                    break
                except Failure as failure:
                    if is_last or not _may_retry(failure, sent, deadline):
                        self._failed(failure, question, wish)
                        break
        finally:
            # Also for a call that is cancelled: nobody else's request waits for it.
            if wish and self._leases:
                self._leases.ended(wish, decision, lease)
        return decision

    async def _post(self, method: str, body: bytes, deadline: float) -> Answer:
        """:raises Failure:"""
        left = deadline - time.monotonic()
        try:
            return await asyncio.wait_for(self._exchange(method, body, left), left)
        except asyncio.TimeoutError:
            raise Failure("DEADLINE_EXCEEDED", "no answer within the deadline") from None

    async def _exchange(self, method: str, body: bytes, left: float) -> Answer:
        headers = [*self._headers, ("connect-timeout-ms", str(max(0, int(left * 1000))))]
        _has_begun.set(False)
        try:
            async with self._pool.stream("POST", self._service + method, headers=headers, content=body) as response:
                received = b""
                async for part in response.aiter_stream():
                    received += part
                    if len(received) > _MOST_BYTES:
                        raise Failure("UNREADABLE_ANSWER", "an answer of more than 64 KiB")
                fields = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
                return Answer(response.status, fields, received)
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, OSError) as error:
            raise Failure("UNAVAILABLE", type(error).__name__, may_retry=not _has_begun.get()) from None

    async def _report_each_second(self) -> None:
        while True:
            await asyncio.sleep(1)
            await self._report()

    async def _report(self) -> None:
        deadline = time.monotonic() + 1
        for body in self._reports():
            # A report is sent once.
            with suppress(Failure):
                await self._post("ReportUses", body, deadline)
