"""Servers that fork, reload, and give up requests, with a Latchkey that goes and comes back."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import latchkey_guard
from latchkey_guard import Credential, Decision, Granted, Guard, Question, Request
from latchkey_guard.aio import AsyncGuard

APP = """
import json, os
from latchkey_guard import Guard, Request
from latchkey_guard.wsgi import Protected, principal_of
guard = Guard(os.environ["TARGET"], "token", deadline_ms=60_000, leases=True)
# The parent has a connection, a lease and a reporter before it forks.
for _ in range(3):
    assert guard.protect(Request("GET", [("authorization", "Bearer lk_parent")]), None).status == 200
def show(environ, start_response):
    start_response("200 OK", [])
    return [json.dumps([principal_of(environ).owner_id, os.getpid()]).encode()]
app = Protected(show, guard, None)
"""
ASGI = """
import json, os
from latchkey_guard.aio import AsyncGuard
from latchkey_guard.asgi import Protected
guard = AsyncGuard(os.environ["TARGET"], "token", deadline_ms=60_000, leases=True)
async def show(scope, receive, send):
    shown = [scope["state"]["latchkey_principal"].owner_id, os.getpid()]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(shown).encode()})
app = Protected(show, guard, None)
"""


class Latchkey:
    """Grants every key to the owner of the same name, with a lease for one use, while it is up."""

    def __init__(self) -> None:
        self.port, self.asked, self.open = 0, list[str](), set[socket.socket]()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.start()

    def start(self) -> None:
        latchkey = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                latchkey.open.add(self.request)
                super().setup()

            def finish(self) -> None:
                latchkey.open.discard(self.request)

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                answer: dict[str, Any] = {}
                if "requestId" in asked:
                    key = asked["authorization"].removeprefix("Bearer ")
                    latchkey.asked.append(key)
                    latchkey.may_answer.wait()
                    grant = {"keyId": "k", "ownerId": key, "access": "ACCESS_LEVEL_READ_ONLY"}
                    grant["expiresAt"] = "2030-03-17T17:46:40Z"
                    lease = {"lengthMs": 2000, "uses": 1}
                    answer = {"requestId": asked["requestId"], "grant": grant, "lease": lease}
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            # The default of 5 drops connections of a busy machine, and the system tries again only much later.
            request_queue_size = 128

            def handle_error(self, *_: Any) -> None:  # A connection that was cut.
                pass

        self._server = Server(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def kill(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        for each in list(self.open):
            each.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def up() -> Iterator[Latchkey]:
    latchkey = Latchkey()
    yield latchkey
    latchkey.may_answer.set()
    latchkey.kill()


def until(condition: Callable[[], object]) -> None:
    ends = time.monotonic() + 200
    while not condition():
        assert time.monotonic() < ends, "it never became true"
        time.sleep(0.02)


def get(port: int, key: str) -> tuple[int, Any]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, None


@contextmanager
def serving(folder: Path, latchkey: Latchkey, source: str, *command: str) -> Iterator[int]:
    (folder / "service.py").write_text(source)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    source_folder = str(Path(latchkey_guard.__file__).parents[1])
    env = {**os.environ, "TARGET": latchkey.url, "PYTHONPATH": source_folder, "PYTHONDONTWRITEBYTECODE": "1"}
    program = [sys.executable, "-m", *(each.replace("PORT", str(port)) for each in command)]
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(program, cwd=folder, env=env, stdout=output, stderr=output)
    try:

        def is_up() -> bool:
            assert process.poll() is None, (folder / "output").read_text()
            try:
                return get(port, "lk_first")[0] == 200
            except OSError:
                return False

        until(is_up)
        yield port
    finally:
        process.terminate()
        process.wait()


GUNICORN = ("gunicorn", "--preload", "--workers=4", "--threads=4", "--bind=127.0.0.1:PORT", "service:app")
UVICORN = ("uvicorn", "--workers=2", "--port=PORT", "service:app")


@pytest.mark.parametrize(("source", "command"), [(APP, GUNICORN), (ASGI, UVICORN)], ids=["gunicorn", "uvicorn"])
def test_workers_answer_503_alone_while_latchkey_is_away_and_right_afterwards(
    tmp_path: Path, up: Latchkey, source: str, command: tuple[str, ...]
) -> None:
    with serving(tmp_path, up, source, *command) as port, ThreadPoolExecutor(8) as pool:
        answers: list[tuple[int, Any, str]] = []
        is_over = threading.Event()

        def load(client: int) -> None:
            number = 0
            while not is_over.is_set():
                number += 1
                key = f"lk_{client}_{number // 3}"
                answers.append((*get(port, key), key))

        running = [pool.submit(load, client) for client in range(8)]

        def more(status: int) -> None:
            """Requests that begin now are answered so."""
            before = len(answers) + 16
            until(lambda: sum(each[0] == status for each in answers[before:]) >= 40)

        more(200)
        up.kill()
        more(503)
        up.start()
        more(200)
        until(lambda: len({shown[1] for status, shown, _ in list(answers) if status == 200}) > 1)
        is_over.set()
        for each in running:
            each.result()
        assert {status for status, _, _ in answers} == {200, 503}
        assert all(status == 503 or shown[0] == key for status, shown, key in answers)
        # None of the last ones, long after the restart, is 503.
        assert {status for status, _, _ in answers[-16:]} == {200}
    until(lambda: not up.open)


def test_a_service_that_is_reloaded_leaves_no_connection(tmp_path: Path, up: Latchkey) -> None:
    with serving(tmp_path, up, ASGI, "uvicorn", "--reload", "--port=PORT", "service:app") as port:
        _, [_, first] = get(port, "lk_key")

        def is_reloaded() -> bool:
            # A watcher that begins late sees only later changes.
            (tmp_path / "service.py").write_text(f"{ASGI}# {time.time()}")
            try:
                status, shown = get(port, "lk_key")
            except OSError:
                return False
            assert (status, shown[0]) == (200, "lk_key")
            return shown[1] != first

        until(is_reloaded)
    until(lambda: not up.open)


def request_of(key: str) -> Request:
    return Request("GET", [("authorization", f"Bearer {key}")])


def owner_in(decision: Decision) -> str:
    assert isinstance(decision, Granted)
    return decision.principal.owner_id


@pytest.mark.parametrize("leases", [False, True])
def test_requests_that_are_cancelled_disturb_no_other(up: Latchkey, leases: bool) -> None:
    async def main() -> None:
        guard = AsyncGuard(up.url, "token", deadline_ms=60_000, leases=leases)
        up.may_answer.clear()
        # Each key twice, so that with leases the second one waits for the first one's call.
        given_up = [asyncio.ensure_future(guard.protect(request_of(f"lk_{n // 2}"), None)) for n in range(40)]
        # Without leases each of the 40 is a call, and with them each key.
        await asyncio.to_thread(until, lambda: len(up.asked) == (20 if leases else 40))
        for each in given_up[::2]:
            each.cancel()
        await asyncio.wait(given_up[::2])
        up.may_answer.set()
        assert [owner_in(await each) for each in given_up[1::2]] == [f"lk_{n}" for n in range(20)]
        assert owner_in(await guard.protect(request_of("lk_other"), None)) == "lk_other"
        await guard.aclose()

    asyncio.run(main())
    until(lambda: not up.open)


def test_a_request_that_is_cancelled_ends_no_call_that_another_waits_for(up: Latchkey) -> None:
    async def main() -> None:
        guard = AsyncGuard(up.url, "token", deadline_ms=60_000, leases=True)
        up.may_answer.clear()
        first, second = (asyncio.ensure_future(guard.protect(request_of("lk_key"), None)) for _ in range(2))
        await asyncio.to_thread(until, lambda: up.asked)
        first.cancel()
        await asyncio.wait([first])
        up.may_answer.set()
        assert owner_in(await second) == "lk_key"
        # It was granted by the lease for one use that the first one's call brought, and which it renewed.
        await guard.aclose()
        assert up.asked[1:] in ([], ["lk_key"])
        assert guard.leases[1] == 1

    asyncio.run(main())
    until(lambda: not up.open)


@pytest.mark.parametrize("turns", range(6))
def test_a_request_whose_guard_is_closed_meanwhile_is_answered(up: Latchkey, turns: int) -> None:
    async def main() -> None:
        guard = AsyncGuard(up.url, "token", deadline_ms=60_000)
        asked = asyncio.ensure_future(guard.protect(request_of("lk_key"), None))
        for _ in range(turns):
            await asyncio.sleep(0)
        await guard.aclose()
        assert (await asked).status in (200, 503)

    asyncio.run(main())
    until(lambda: not up.open)


def test_a_child_of_a_fork_during_a_request_decides_by_its_own_answers(up: Latchkey) -> None:
    guard = Guard(up.url, "token", deadline_ms=60_000, leases=True)
    with ThreadPoolExecutor(2) as pool:

        def begin(*keys: str) -> list[Any]:
            up.may_answer.clear()
            asked = len(up.asked) + len(keys)
            begun = [pool.submit(guard.protect, request_of(key), None) for key in keys]
            until(lambda: len(up.asked) == asked)
            return begun

        begun = begin("lk_kept", "lk_1")
        up.may_answer.set()
        assert [owner_in(each.result()) for each in begun] == ["lk_kept", "lk_1"]
        # One of the two connections is idle now.
        [under_way] = begin("lk_2")
        child = os.fork()
        if child == 0:
            # Not even for the same key it waits for a call of the parent.
            owners = [owner_in(guard.protect(request_of(key), None)) for key in ("lk_2", "lk_kept", "lk_child")]
            os._exit(0 if owners == ["lk_2", "lk_kept", "lk_child"] else 1)
        until(lambda: up.asked.count("lk_2") == 2)
        connections = len(up.open)
        up.may_answer.set()
        assert connections == 3
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert owner_in(under_way.result()) == "lk_2"
    assert up.asked.count("lk_kept") == 2
    guard.close()
    until(lambda: not up.open)


def test_a_child_of_a_fork_while_a_question_is_written_asks_all_the_same(up: Latchkey) -> None:
    guard = Guard(up.url, "token", deadline_ms=60_000)
    is_reading, may_read = threading.Event(), threading.Event()

    def slowly(_name: str) -> list[str]:
        is_reading.set()
        may_read.wait()
        return []

    credential = Credential(authorization="Bearer lk_key")
    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(guard.check, Question(credential, "READ", values=slowly))
        is_reading.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(0 if guard.check(Question(credential, "READ")).status == 200 else 1)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        may_read.set()
        assert (ended, under_way.result().status) == (0, 200)
    guard.close()
    until(lambda: not up.open)
