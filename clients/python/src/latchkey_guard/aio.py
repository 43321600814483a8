"""The guard for asyncio, on httpx: ``pip install 'latchkey-guard[async]'``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress

import httpx

from ._guard import _SERVICE, Core, _may_retry
from ._leases import Wish
from ._model import UNAVAILABLE, Decision, Lease, Operation, Question
from ._request import Permission, Request, check_route
from ._transport import _MOST_BYTES, Answer, Failure


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
        await self._client.aclose()

    def _open(self) -> None:
        self._client = httpx.AsyncClient(
            base_url=f"{'https' if self._target.tls else 'http'}://{self._target.authority}",
            headers={"content-type": "application/json", "accept-encoding": "identity"}
            | ({"authorization": f"Bearer {self._token}"} if self._token else {}),
            verify=self._target.tls or False,  # There is nothing to verify in plain text.
            limits=httpx.Limits(keepalive_expiry=60),
            trust_env=False,
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
        deadline = time.monotonic() + 1
        for body in self._reports():
            # A report is sent once.
            with suppress(Failure):
                await self._post("ReportUses", body, deadline)
