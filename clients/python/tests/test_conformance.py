"""Both guards pass the table of cases for every guard."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from conftest import CONFORMANCE, Latchkey

from latchkey_guard import Decided, Guard, Hooks, Permission, Principal
from latchkey_guard._leases import Clocks
from latchkey_guard.aio import AsyncGuard
from latchkey_guard.asgi import Protected as AsgiProtected
from latchkey_guard.wsgi import Protected as WsgiProtected
from latchkey_guard.wsgi import principal_of

CASES = json.loads((CONFORMANCE / "cases.json").read_text())["cases"]
CREDENTIALS = json.loads((CONFORMANCE / "credentials.json").read_text())["cases"]
BOTH = ("systems:read", "systems:write")
Sent = Callable[[bytes], bytes]


class Clock:
    wall = 1_900_000_000_000
    monotonic = 5000


def shown(principal: Principal) -> bytes:
    expires = principal.expires_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    fields = {"keyId": principal.key_id, "ownerId": principal.owner_id, "access": principal.access}
    lists = {"permissions": list(principal.permissions), "attributes": dict(principal.attributes)}
    return json.dumps({**fields, **lists, "expiresAt": expires}).encode()


def route_of(path: str) -> tuple[Permission, str | None, dict[str, str]]:
    path = path.partition("?")[0]
    if path.startswith("/systems/"):
        return "systems/{id}:read", None, {"id": path[len("/systems/") :]}
    return {"/systems": (BOTH, None, {}), "/any": (None, None, {}), "/search": ("systems:read", "READ", {})}[path]  # type: ignore[return-value]


@contextmanager
def behind_wsgi(options: dict[str, Any]) -> Iterator[Sent]:
    guard = Guard(**options)

    def app(environ: dict[str, Any], start: Any) -> list[bytes]:
        body = shown(principal_of(environ))
        start("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]

    class Handler(BaseHTTPRequestHandler):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.answer
            raise AttributeError(name)

        def answer(self) -> None:
            permission, operation, params = route_of(self.path)
            environ: dict[str, Any] = {"REQUEST_METHOD": self.command, "REMOTE_ADDR": self.client_address[0]}
            environ |= {"RAW_URI": self.path, "wsgiorg.routing_args": ((), params)}
            # Names with "_" would be read as names with "-": gunicorn drops them, too.
            for name, value in ((name, value) for name, value in self.headers.items() if "_" not in name):
                key = f"HTTP_{name.upper().replace('-', '_')}"
                environ[key] = f"{environ[key]},{value}" if key in environ else value

            def start(status: str, headers: list[tuple[str, str]]) -> Any:
                self.send_response_only(int(status[:3]))
                for each in headers:
                    self.send_header(*each)
                self.end_headers()

            protected = WsgiProtected(app, guard, permission, operation)  # type: ignore[arg-type]
            for part in protected(environ, start):  # type: ignore[arg-type]
                self.wfile.write(part)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield lambda request: exchanged(server.server_address[1], request)
    finally:
        server.shutdown()
        server.server_close()
        guard.close()


@contextmanager
def behind_asgi(options: dict[str, Any]) -> Iterator[Sent]:
    """ASGI without a server: the bytes of a request become a scope."""
    loop = asyncio.new_event_loop()
    guard = AsyncGuard(**options)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        body = shown(scope["state"]["latchkey_principal"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": body})

    async def sent(request: bytes) -> bytes:
        first, *lines = request.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ")
        permission, operation, params = route_of(path)
        headers = [tuple(part.strip().encode("latin-1") for part in line.split(":", 1)) for line in lines if line]
        headers = [(name.lower(), value) for name, value in headers]  # type: ignore[misc]
        scope = {
            "type": "http",
            "method": method,
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "path_params": params,
            "raw_path": path.encode("latin-1"),
        }
        answer: list[bytes] = []

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                fields = b"".join(name + b": " + value + b"\r\n" for name, value in message["headers"])
                answer.append(b"HTTP/1.1 %d x\r\n" % message["status"] + fields + b"\r\n")
            else:
                answer.append(message["body"])

        await AsgiProtected(app, guard, permission, operation)(scope, None, send)  # type: ignore[arg-type]
        return b"".join(answer)

    try:
        yield lambda request: loop.run_until_complete(sent(request))
    finally:
        loop.run_until_complete(guard.aclose())
        loop.close()


def exchanged(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request)
        received = b""
        while more := connection.recv(65536):
            received += more
    return received


@pytest.mark.parametrize("behind", [behind_wsgi, behind_asgi])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: dict[str, Any], behind: Any, latchkey: Latchkey) -> None:
    clock, decided = Clock(), list[Decided]()
    given = case.get("options", {})
    options: dict[str, Any] = {
        "target": latchkey.url,
        "service_token": "token",
        "deadline_ms": given.get("deadlineMs", 60_000),
        "leases": given.get("leases", False),
        "hooks": Hooks(on_decision=decided.append),
        "clocks": Clocks(lambda: clock.wall * 1_000_000, lambda: clock.monotonic * 1_000_000),
    }
    with behind(options) as send:
        for step in case["steps"]:
            if "latchkey" in step:
                latchkey.script(*step["latchkey"])
            clock.wall += step.get("clock", {}).get("wall", 0)
            clock.monotonic += step.get("clock", {}).get("monotonic", 0)
            if "request" in step:
                before = len(latchkey.asked())
                compare(send(bytes_of(step["request"])), step["expect"])
                if source := step["expect"].get("source"):
                    assert decided[-1].source == source
                compare_asked(latchkey.asked()[before:], step["expect"].get("asked"))


@pytest.mark.parametrize("behind", [behind_wsgi, behind_asgi])
@pytest.mark.parametrize("case", CREDENTIALS, ids=[case["name"] for case in CREDENTIALS])
def test_credential(case: dict[str, Any], behind: Any, latchkey: Latchkey) -> None:
    grant = {"keyId": "k", "ownerId": "o", "access": "ACCESS_LEVEL_READ_ONLY", "expiresAt": "2030-03-17T17:46:40Z"}
    denial = {"reason": "REASON_INVALID_KEY", "httpStatus": 401}
    latchkey.script({"answer": {"grant": grant} if case["status"] == 200 else {"denial": denial}})
    forms = case["credentials"]
    options = {"target": latchkey.url, "service_token": "token", "deadline_ms": 60_000, "credentials": forms}
    with behind(options) as send:
        headers = [(name, value.replace("{host}", "api.example.com:8080")) for name, value in case["headers"]]
        request = {"method": "GET", "path": "/systems", "headers": [("Host", "api.example.com:8080"), *headers]}
        expected = {"WWW-Authenticate": case.get("challenge")}
        expected["Cache-Control"] = "private" if "x-api-key" in forms else None
        compare(send(bytes_of(request)), {"status": case["status"], "headers": expected})
    question = latchkey.asked()[0]["question"]
    found = {name: question[name] for name in ("apiKey", "authorization") if question.get(name)}
    assert found == {name: value for name, value in case["finds"].items() if value}


def bytes_of(request: dict[str, Any]) -> bytes:
    lines = [
        f"{request['method']} {request['path']} HTTP/1.1",
        *(f"{name}: {value}" for name, value in request["headers"]),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def compare(answer: bytes, expected: dict[str, Any]) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    assert int(first.split(" ")[1]) == expected["status"]
    headers = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines}
    for name, value in expected.get("headers", {}).items():
        assert (name, headers.get(name.lower())) == (name, value)
    read = json.loads(body) if "body" in expected else {}
    assert {name: read[name] for name in expected.get("body", {})} == expected.get("body", {})


def compare_asked(asked: list[dict[str, Any]], expected: Any) -> None:
    assert {each["identity"] for each in asked} <= {"Bearer token"}
    if expected is None:
        return
    assert len(asked) == (expected if isinstance(expected, int) else 1)
    for name, value in ({} if isinstance(expected, int) else expected).items():
        sent = asked[0]["question"].get(name, "")
        if isinstance(value, dict):
            assert sent not in value["not"]
        else:
            assert (name, sent) == (name, value or "")
