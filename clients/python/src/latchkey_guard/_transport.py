"""One POST to Latchkey within a deadline: HTTP/1.1 on connections that are kept."""

from __future__ import annotations

import io
import re
import socket
import ssl
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from ipaddress import ip_address
from typing import Any

_MOST_BYTES = 64 * 1024
#: Latchkey closes unused connections after 75 s.
_IDLE_S = 60.0
_URL = re.compile(r"(https?)://(?:\[([0-9a-f:.]+)\]|([^/?#@:\[\]\s]+))(?::(\d{1,5}))?/?", re.I)


class Failure(Exception):
    """There is no usable answer."""

    def __init__(self, code: str, message: str, *, may_retry: bool = False) -> None:
        super().__init__(message)
        self.code, self.message, self.may_retry = code, message, may_retry


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Target:
    host: str
    port: int
    tls: ssl.SSLContext | None

    @property
    def authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @staticmethod
    def of(url: str, tls: ssl.SSLContext | None, insecure: bool) -> Target:
        """:raises ValueError: it is no such URL, or plain text would cross a network"""
        match = _URL.fullmatch(url)
        if not match:
            raise ValueError("target must be a URL such as http://127.0.0.1:3080 or https://latchkey.internal:3080")
        is_secure = match[1].lower() == "https"
        try:
            host = (match[2] or match[3]).encode("idna").decode()
        except UnicodeError:
            raise ValueError("the host of target is no name of DNS") from None
        if is_secure and insecure:
            raise ValueError("insecure contradicts a target with https:")
        if tls and not is_secure:
            raise ValueError("tls needs a target with https:")
        if not (is_secure or insecure or _is_here(host)):
            raise ValueError("target must be https:, or insecure=True where a mesh encrypts: keys would be readable")
        usual = 443 if is_secure else 80
        return Target(host, int(match[4] or usual), tls or ssl.create_default_context() if is_secure else None)


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class Transport:
    """Threads share it. No environment variable applies: no proxy, no .netrc."""

    def __init__(self, target: Target, token: str | None) -> None:
        identity = f"authorization: Bearer {token}\r\n" if token else ""
        self._head = f"host: {target.authority}\r\n{identity}content-type: application/json\r\n"
        self._target = target
        self._lock = threading.Lock()
        #: The one that is used next is the last. Each with the time since when it is idle.
        self._idle: list[tuple[socket.socket, float]] = []
        self._lookup: Future[list[Any]] | None = None
        self._is_closed = False

    def post(self, path: str, body: bytes, deadline: float) -> Answer:
        """:param deadline: by time.monotonic() :raises Failure:"""
        left = int(_left(deadline) * 1000)
        head = f"POST {path} HTTP/1.1\r\n{self._head}connect-timeout-ms: {left}\r\ncontent-length: {len(body)}\r\n\r\n"
        connection = self._kept() or self._opened(deadline)
        wire = _Wire(connection, deadline)
        try:
            connection.settimeout(_left(deadline))
            connection.sendall(head.encode("latin-1") + body)
            response = HTTPResponse(wire, method="POST")  # type: ignore[arg-type]
            response.begin()
            headers = {name.lower(): value for name, value in response.getheaders()}
            answer = Answer(response.status, headers, response.read())
        except BaseException as error:
            # A connection whose answer was not read to its end is never used again.
            connection.close()
            raise _failure_of(error, may_retry=not wire.received) from None
        with self._lock:
            now = time.monotonic()
            while self._idle and now - self._idle[0][1] >= _IDLE_S:
                self._idle.pop(0)[0].close()
            if response.will_close or self._is_closed:
                connection.close()
            else:
                self._idle.append((connection, now))
        return answer

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            for connection, _ in self._idle:
                connection.close()
            self._idle = []

    def _kept(self) -> socket.socket | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection, since = self._idle.pop()
            try:
                connection.settimeout(0)
                # What can be read before a request is the end of the connection.
                if time.monotonic() - since < _IDLE_S:
                    connection.recv(1)
            except (BlockingIOError, ssl.SSLWantReadError):
                return connection
            except OSError:
                pass
            connection.close()

    def _opened(self, deadline: float) -> socket.socket:
        failure = Failure("UNAVAILABLE", "no address")
        for family, kind, protocol, _, address in self._addresses(deadline):
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(_left(deadline))
                connection.connect(address)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.settimeout(_left(deadline))
                tls = self._target.tls
                return tls.wrap_socket(connection, server_hostname=self._target.host) if tls else connection
            except Exception as error:
                connection.close()
                failure = _failure_of(error, may_retry=True)
        raise failure

    def _addresses(self, deadline: float) -> list[Any]:
        """The system's resolver keeps to no deadline, so one thread waits for it."""
        try:
            with self._lock:
                lookup = self._lookup
                if lookup is None or lookup.done():
                    lookup = Future()
                    threading.Thread(target=self._look_up, args=(lookup,), daemon=True).start()
                    self._lookup = lookup
            return lookup.result(_left(deadline))
        except Exception as error:
            raise _failure_of(error, may_retry=True) from None

    def _look_up(self, lookup: Future[list[Any]]) -> None:
        try:
            lookup.set_result(socket.getaddrinfo(self._target.host, self._target.port, type=socket.SOCK_STREAM))
        except Exception as error:
            lookup.set_exception(error)


class _Wire(io.RawIOBase):
    """What http.client reads of a connection, within a deadline."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection, self._deadline, self.received = connection, deadline, 0

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(_left(self._deadline))
        count = self._connection.recv_into(buffer)
        self.received += count
        if self.received > _MOST_BYTES:
            raise Failure("UNREADABLE_ANSWER", "an answer of more than 64 KiB")
        return count


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise Failure("DEADLINE_EXCEEDED", "no answer within the deadline")
    return left


def _failure_of(error: BaseException, *, may_retry: bool) -> Any:
    """A Failure, of any error but the end of the thread or the process."""
    if isinstance(error, Failure) or not isinstance(error, Exception):
        return error
    if isinstance(error, (TimeoutError, FutureTimeout)):
        return Failure("DEADLINE_EXCEEDED", "no answer within the deadline")
    if isinstance(error, HTTPException) and not may_retry:
        return Failure("UNREADABLE_ANSWER", type(error).__name__)
    return Failure("UNAVAILABLE", type(error).__name__, may_retry=may_retry)
