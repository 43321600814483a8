"""What the table of cases does not say."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFORMANCE, Latchkey

from latchkey_guard import Credential, Decision, Failed, Granted, Guard, Hooks, Principal, Question, Request
from latchkey_guard._judgement import covered_by
from latchkey_guard._leases import Clocks, Leases
from latchkey_guard._model import UNAVAILABLE, Lease
from latchkey_guard.aio import AsyncGuard
from latchkey_guard.asgi import ScopeRequest
from latchkey_guard.testing import LatchkeyFake

JUDGED = json.loads((CONFORMANCE / "judgement.json").read_text())["cases"]
GRANT: dict[str, Any] = {
    "keyId": "k",
    "ownerId": "o",
    "access": "ACCESS_LEVEL_READ_AND_WRITE",
    "permissions": ["systems:read"],
    "expiresAt": "2030-03-17T17:46:40Z",
}
LEASED = {"answer": {"grant": GRANT, "lease": {"lengthMs": 2000, "uses": 100}}}
REQUEST = Request("GET", [("authorization", "Bearer lk_key")], peer="192.0.2.7")


@pytest.mark.parametrize("case", JUDGED, ids=[case["name"] for case in JUDGED])
def test_a_lease_judges_each_use_by_the_rule_of_the_service(case: dict[str, Any]) -> None:
    key, request = case["key"], case["request"]
    access = "read-only" if "read-only" in (key["access"], key["maxAccess"]) else "read-and-write"
    actions = ("read",) if access == "read-only" else ("read", "write")
    owned = narrowed(key["owned"], key["subset"])
    permissions = tuple(each for each in owned if each.partition(":")[2] in actions)
    principal = Principal("k", "o", access, permissions, {}, datetime.now(timezone.utc))  # type: ignore[arg-type]
    lease = Lease(1000, 1, key["subset"] is not None, tuple(key["networks"] or ()))
    operation = request["operation"].upper().replace("-", "_")
    question = Question(
        Credential("x"), operation, request["permission"] or "", client_ip=request["clientAddress"] or ""
    )
    assert (covered_by(lease, principal, question) is None) == (case["refusal"] is not None)


def narrowed(owned: list[str], subset: list[str] | None) -> list[str]:
    """What both lists cover: the narrower permission of each pair."""
    if subset is None:
        return owned
    one, other = (Principal("", "", "read-only", tuple(each), {}, datetime.min) for each in (owned, subset))
    return [*filter(one.covering, subset), *filter(other.covering, owned)]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"target": "http://latchkey.internal:3080"}, "insecure=True"),
        ({"target": "127.0.0.1:3080"}, "must be a URL"),
        ({"service_token": None}, "service_token is missing"),
        ({"service_token": "to\nken"}, "service_token contains"),
        ({"service_token": "to ken"}, "service_token contains"),
        ({"target": "http://user@127.0.0.1:3080"}, "target must be a URL"),
        ({"target": "http://127.0.0.1:3080/v1"}, "target must be a URL"),
        ({"tls": ssl.create_default_context()}, "tls needs a target with https:"),
        ({"target": "https://latchkey.internal:3080", "insecure": True}, "insecure contradicts"),
        ({"deadline_ms": 0}, "deadline_ms"),
        ({"credentials": []}, "credentials must be"),
        ({"credentials": "bearer"}, "credentials must be"),
        ({"credentials": ["cookie"]}, "credentials must be"),
    ],
)
def test_an_unusable_option_is_an_error_without_the_token(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as raised:
        Guard(**{"target": "http://127.0.0.1:1", "service_token": "secret-token", **options})
    assert "ken" not in str(raised.value).replace("token", "")


@pytest.mark.parametrize("host", ["127.9.9.9", "[::1]", "localhost"])
def test_plain_text_may_go_to_this_machine(host: str) -> None:
    Guard(f"http://{host}:3080/", "token")


@pytest.mark.parametrize("host", ["b\u00fccher.localhost", "[::1]"])
def test_a_latchkey_of_any_name_that_is_away_is_503(host: str) -> None:
    options: dict[str, Any] = {"target": f"http://{host}:1", "service_token": "token", "insecure": True}
    guard = Guard(**options, deadline_ms=60_000)
    assert guard.protect(REQUEST, None).status == 503

    async def protect() -> Decision:
        guard = AsyncGuard(**options, deadline_ms=60_000)
        decision = await guard.protect(REQUEST, None)
        await guard.aclose()
        return decision

    assert asyncio.run(protect()).status == 503


def test_an_unknown_operation_is_an_error_before_any_request() -> None:
    with pytest.raises(ValueError, match="operation must be one of"):
        Guard("http://127.0.0.1:1", "token").protect(REQUEST, "systems:read", "read")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "permission", ["", "systems", "systems/{id:read", "sys-{id}:read", "systems:*", ("a:read", "")]
)
def test_an_unset_permission_does_not_mean_any_key(permission: Any) -> None:
    with pytest.raises(ValueError, match="permission"):
        Guard("http://127.0.0.1:1", "token").protect(REQUEST, permission)


@pytest.mark.parametrize(
    ("value", "raw_path", "status"),
    [
        ("42", "/systems/42?x=/43", 200),
        ("42", None, 200),
        ("43", "/systems/42?x=/43", 403),
        ("a", "/systems/%61", 403),
        ("a/b", "/systems/a%2Fb", 403),
        ("..", "/systems/..", 403),
        ("", "/systems/", 403),
        (7, "/systems/007", 403),
    ],
)
def test_a_parameter_counts_only_as_one_whole_segment_of_the_path(
    latchkey_fake: LatchkeyFake, value: object, raw_path: str | None, status: int
) -> None:
    latchkey_fake.grants("lk_key")
    request = Request("GET", [("authorization", "Bearer lk_key")], {"id": value}, raw_path=raw_path)
    assert Guard("http://127.0.0.1:1", "token").protect(request, "systems/{id}:read").status == status


def test_uses_under_a_lease_are_reported_once(latchkey: Latchkey) -> None:
    latchkey.script(LEASED)
    guard = Guard(latchkey.url, "token", leases=True, deadline_ms=60_000)
    for _ in range(3):
        assert isinstance(guard.protect(REQUEST, "systems/42:read"), Granted)
    assert isinstance(guard.protect(REQUEST, None), Granted)
    assert guard.leases == (1, 3)
    guard.close()
    [entry, without] = latchkey.seen()["reported"]
    # Absent would mean unknown.
    assert (without["count"], without["permission"]) == (1, "")
    assert entry.pop("lastMsAgo") >= 0
    assert entry == {
        "authorization": "Bearer lk_key",
        "clientIp": "192.0.2.7",
        "count": 2,
        "operation": "OPERATION_READ",
        "permission": "systems:read",
    }
    assert guard.protect(REQUEST, None).status == 503


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_after_a_fork_begins_with_no_lease_and_no_connection(latchkey: Latchkey) -> None:
    latchkey.script(LEASED)
    guard = Guard(latchkey.url, "token", leases=True, deadline_ms=60_000)
    guard.protect(REQUEST, "systems:read")
    with guard._transport._lock:  # Another thread of the parent may hold it.
        child = os.fork()
    if child == 0:
        ok = guard.leases == (0, 0) and isinstance(guard.protect(REQUEST, "systems:read"), Granted)
        os._exit(0 if ok and len(latchkey.asked()) == 2 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    guard.close()


def test_a_hook_that_fails_changes_no_decision_and_gets_no_key(latchkey: Latchkey) -> None:
    failures: list[Failed] = []

    def on_error(failure: Failed) -> None:
        failures.append(failure)
        raise RuntimeError

    latchkey.script({"error": {"code": "permission_denied", "message": "no role"}})
    guard = Guard(latchkey.url, "token", deadline_ms=60_000, hooks=Hooks(on_error=on_error))
    assert guard.protect(REQUEST, None).status == 503
    assert [(each.code, each.message) for each in failures] == [("PERMISSION_DENIED", "no role")]
    assert "lk_key" not in repr(failures)
    guard.close()


def test_an_answer_with_a_member_that_comes_twice_is_unreadable(latchkey: Latchkey) -> None:
    failures: list[Failed] = []
    twice = {
        "status": 200,
        "headers": {"content-type": "application/json"},
        "body": '{"requestId":"a","requestId":"b"}',
    }
    latchkey.script({"raw": twice})
    guard = Guard(latchkey.url, "token", deadline_ms=60_000, hooks=Hooks(on_error=failures.append))
    assert guard.protect(REQUEST, None).status == 503
    assert [each.message for each in failures] == ["an answer with a member that comes twice"]
    guard.close()


def test_names_of_an_asgi_server_count_in_any_case() -> None:
    scope = {"headers": [(b"Authorization", b"Bearer lk_key"), (b"X-Forwarded-For", b"192.0.2.7")]}
    request = ScopeRequest(scope)
    assert (request.values("authorization"), request.is_forwarded()) == (["Bearer lk_key"], True)


def test_no_proxy_of_the_environment_applies(latchkey: Latchkey, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    latchkey.script({"answer": {"grant": GRANT}})
    guard = Guard(latchkey.url, "token", deadline_ms=60_000)
    assert guard.protect(REQUEST, None).status == 200
    guard.close()


def test_a_connection_over_tls_is_kept_and_a_certificate_of_a_stranger_refused(tmp_path: Path) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    files = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([*new, *files], check=True, capture_output=True)
    peers: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            peers.append(self.client_address)
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            body = json.dumps({"requestId": asked["requestId"], "grant": GRANT}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(cert, key)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    target = f"https://localhost:{server.server_address[1]}"
    trusting = ssl.create_default_context(cafile=str(cert))
    guard = Guard(target, "token", tls=trusting, deadline_ms=60_000)
    assert [guard.protect(REQUEST, None).status for _ in range(3)] == [200] * 3
    assert len(peers) == 3
    assert len(set(peers)) == 1
    assert Guard(target, "token", deadline_ms=60_000).protect(REQUEST, None).status == 503
    assert len(peers) == 3
    guard.close()

    async def protect(count: int, **options: Any) -> list[int]:
        guard = AsyncGuard(target, "token", deadline_ms=60_000, **options)
        statuses = [(await guard.protect(REQUEST, None)).status for _ in range(count)]
        await guard.aclose()
        return statuses

    assert asyncio.run(protect(3, tls=trusting)) == [200] * 3
    assert len(set(peers)) == 2
    assert asyncio.run(protect(1)) == [503]
    assert len(peers) == 6
    server.shutdown()
    server.server_close()


def until(condition: Callable[[], object]) -> None:
    ends = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends, "it never became true"
        time.sleep(0.01)


def test_a_use_whose_renewal_is_granted_is_reported_by_its_call_alone(latchkey: Latchkey) -> None:
    latchkey.script({"answer": {"grant": GRANT, "lease": {"lengthMs": 2000, "uses": 1}}}, LEASED)
    guard = Guard(latchkey.url, "token", leases=True, deadline_ms=60_000, clocks=Clocks(lambda: 0, lambda: 0))
    for _ in range(2):
        assert guard.protect(REQUEST, None).status == 200
    until(lambda: len(latchkey.asked()) == 2)
    guard.close()
    assert latchkey.seen()["reported"] == []


def test_a_guard_without_a_thread_for_a_renewal_grants_from_its_lease_and_renews_it_later(
    latchkey: Latchkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    latchkey.script({"answer": {"grant": GRANT, "lease": {"lengthMs": 2000, "uses": 1}}})
    clock = Clock()
    guard = Guard(latchkey.url, "token", leases=True, deadline_ms=60_000, clocks=Clocks(clock, clock))
    assert guard.protect(REQUEST, None).status == 200

    def fail(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        assert guard.protect(REQUEST, None).status == 200
    clock.ms += 2000
    guard._deadline_s = 1  # A call that never ends would be waited for.
    assert guard.protect(REQUEST, None).status == 200
    assert len(latchkey.asked()) == 2
    guard.close()


def test_keys_without_a_lease_are_forgotten_even_if_no_key_has_one(latchkey: Latchkey) -> None:
    latchkey.script({"answer": {"denial": {"reason": "REASON_INVALID_KEY", "httpStatus": 401}}})
    guard = Guard(latchkey.url, "token", leases=True, deadline_ms=60_000)
    for key in ("lk_1", "lk_2"):
        assert guard.protect(Request("GET", [("authorization", f"Bearer {key}")]), None).status == 401
    leases = guard._leases
    assert leases
    until(lambda: not leases._keys)
    guard.close()


def test_a_report_of_the_longest_keys_is_not_too_large(latchkey: Latchkey) -> None:
    latchkey.script(LEASED)
    guard = Guard(latchkey.url, "token", leases=True, deadline_ms=60_000)
    address = "2001:db8:1234:5678:9abc:def0:1234:5678"
    for number in range(100):
        key = f"Bearer {number:0512}"
        request = Request("GET", [("authorization", key)], peer=address)
        for _ in range(2):
            assert guard.protect(request, "systems:read").status == 200
    assert all(len(body) <= 48 * 1024 for body in guard._reports())
    guard.close()


def test_a_connection_is_used_again_however_many_files_are_open(latchkey: Latchkey) -> None:
    latchkey.script({"answer": {"grant": GRANT}})
    guard = Guard(latchkey.url, "token", deadline_ms=60_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, hard), hard))
    others = [os.dup(0) for _ in range(1100)]
    try:
        assert [guard.protect(REQUEST, None).status for _ in range(2)] == [200, 200]
    finally:
        for each in others:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        guard.close()


def test_connections_of_a_burst_are_closed_once_they_are_old(latchkey: Latchkey) -> None:
    latchkey.script({"answer": {"grant": GRANT}})
    guard = Guard(latchkey.url, "token", deadline_ms=60_000)
    assert guard.protect(REQUEST, None).status == 200
    # The last one is used again and again.
    idle = [socket.socketpair() for _ in range(3)]
    guard._transport._idle[:0] = [(ours, time.monotonic() - 61) for ours, _ in idle]
    assert guard.protect(REQUEST, None).status == 200
    assert len(guard._transport._idle) == 1
    for _, other in idle:
        other.settimeout(10)
        assert other.recv(1) == b""
        other.close()
    guard.close()


def test_a_connection_whose_answer_did_not_come_is_not_used_again(latchkey: Latchkey) -> None:
    latchkey.script({"fault": "hang"})
    guard = Guard(latchkey.url, "token", deadline_ms=50)
    assert guard.protect(REQUEST, None).status == 503
    assert guard._transport._idle == []
    guard.close()


def test_a_request_that_ends_after_its_guard_leaves_no_connection(latchkey: Latchkey) -> None:
    latchkey.script({"answer": {"grant": GRANT}})
    guard = Guard(latchkey.url, "token", deadline_ms=60_000, hooks=Hooks(on_decision=lambda _: None))
    transport = guard._transport
    opened = transport._opened
    transport._opened = lambda deadline: (guard.close(), opened(deadline))[1]  # type: ignore[method-assign]
    assert guard.protect(REQUEST, None).status == 200
    assert transport._idle == []


def test_a_resolver_that_hangs_keeps_no_request_longer_than_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = threading.Event()
    lookups: list[Any] = []

    def hang(*asked: Any, **_: Any) -> Any:
        lookups.append(asked)
        assert is_over.wait(30)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    failures: list[Failed] = []
    guard = Guard("http://localhost:1", "token", deadline_ms=50, hooks=Hooks(on_error=failures.append))
    assert [guard.protect(REQUEST, None).status for _ in range(3)] == [503] * 3
    assert not is_over.is_set()
    assert [each.code for each in failures] == ["DEADLINE_EXCEEDED"] * 3
    assert len(lookups) == 1
    is_over.set()
    guard.close()


def test_reports_to_a_latchkey_that_hangs_take_a_second_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    deadlines: list[float] = []
    guard = Guard("http://127.0.0.1:1", "token", leases=True)
    monkeypatch.setattr(guard, "_reports", lambda: [b"{}"] * 3)
    monkeypatch.setattr(guard._transport, "post", lambda _path, _body, deadline: deadlines.append(deadline))
    guard.close()
    assert len(deadlines) == 3
    assert len(set(deadlines)) == 1


class Clock:
    ms = 5000

    def __call__(self) -> int:
        return self.ms * 1_000_000


QUESTION = Question(Credential("lk_key"), "READ")
GRANTED = Granted(Principal("k", "o", "read-only", (), {}, datetime.now(timezone.utc)))


def leased(leases: Leases, lease: Lease) -> int:
    """:return: the uses that the call wished for"""
    _, wish, _ = leases.step(QUESTION)
    assert wish
    leases.ended(wish, GRANTED, lease)
    return wish.uses


def test_a_lease_whose_renewal_failed_is_renewed_no_sooner_than_a_second_later() -> None:
    clock = Clock()
    leases = Leases(Clocks(clock, clock))
    leased(leases, Lease(2000, 100, False, ()))
    clock.ms += 1500
    granted, renewal, _ = leases.step(QUESTION)
    assert granted
    assert renewal
    leases.ended(renewal, UNAVAILABLE, None)
    assert leases.step(QUESTION)[1] is None
    assert [entry["count"] for entry in leases.tidy()] == [2]


def test_a_renewal_that_is_refused_with_401_ends_its_lease(latchkey: Latchkey) -> None:
    denial = {"reason": "REASON_REVOKED", "httpStatus": 401}
    latchkey.script(
        {"answer": {"grant": GRANT, "lease": {"lengthMs": 2000, "uses": 5}}}, {"answer": {"denial": denial}}
    )
    guard = Guard(latchkey.url, "token", leases=True, deadline_ms=60_000, clocks=Clocks(lambda: 0, lambda: 0))
    for _ in range(5):  # The fourth use of the lease renews it.
        assert guard.protect(REQUEST, None).status == 200
    until(lambda: guard.leases[0] == 0)
    assert guard.protect(REQUEST, None).status == 401
    guard.close()


def test_an_operation_that_no_key_may_do_wishes_for_no_lease() -> None:
    clock = Clock()
    leases = Leases(Clocks(clock, clock))
    leased(leases, Lease(1000, 10, False, ()))
    assert leases.step(QUESTION)[0]
    clock.ms += 1000
    assert leases.step(Question(QUESTION.credential, "DESTROY")) == (None, None, None)


def test_a_wish_after_a_lease_that_was_spent_long_ago_is_for_one_use() -> None:
    clock = Clock()
    leases = Leases(Clocks(clock, clock))
    assert leased(leases, Lease(1000, 2, False, ())) == 1
    for _ in range(2):
        _, renewal, _ = leases.step(QUESTION)
    assert renewal
    leases.ended(renewal, UNAVAILABLE, None)
    # By its time it would have ended 0.5 s ago.
    clock.ms += 1400
    assert leased(leases, Lease(1000, 2, False, ())) == 1


def test_leases_that_have_ended_free_their_memory() -> None:
    clock = Clock()
    leases = Leases(Clocks(clock, clock))
    leased(leases, Lease(1, 1, False, ()))
    leases.tidy()
    assert leases.held == 1
    clock.ms += 2
    leases.tidy()
    assert (leases.held, leases._keys) == (0, {})


def test_leases_keep_a_credential_only_while_they_have_uses_of_it_to_report() -> None:
    leases = Leases(Clocks(lambda: 0, lambda: 0))
    leased(leases, Lease(2000, 10, False, ()))
    for _ in range(2):
        assert leases.step(QUESTION)[0]
        assert leases.step(QUESTION)[0]
        assert [entry["count"] for entry in leases.tidy()] == [2]
        assert leases._counts == {}
        assert leases.tidy() == []
