"""One POST to Latchkey within a deadline: HTTP/1.1 on connections that are kept."""

from __future__ import annotations

import select
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

_MOST_BYTES = 64 * 1024
_MOST_HEAD = 16 * 1024
#: Latchkey closes unused connections after 75 s.
_IDLE_S = 60.0


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

    @staticmethod
    def of(url: str, tls: ssl.SSLContext | None, insecure: bool) -> Target:
        """:raises ValueError: it is no such URL, or plain text would cross a network"""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
            raise ValueError("target must be a URL such as http://127.0.0.1:3080 or https://latchkey.internal:3080")
        if parts.scheme == "https":
            return Target(parts.hostname, parts.port or 443, tls or ssl.create_default_context())
        if parts.hostname not in ("127.0.0.1", "::1", "localhost") and not insecure:
            raise ValueError("target must be https:, or insecure=True where a mesh encrypts: keys would be readable")
        return Target(parts.hostname, parts.port or 80, None)


class Transport:
    """Threads share it. No environment variable applies: no proxy, no .netrc."""

    def __init__(self, target: Target, token: str | None) -> None:
        host = f"[{target.host}]" if ":" in target.host else target.host
        identity = f"authorization: Bearer {token}\r\n" if token else ""
        self._head = f"host: {host}:{target.port}\r\n{identity}content-type: application/json\r\n"
        self.target = target
        self.forget()

    def forget(self) -> None:
        """Begins empty, as after a fork: the connections are the parent's."""
        self._lock = threading.Lock()
        self._idle: list[tuple[socket.socket, float]] = []

    def post(self, path: str, body: bytes, deadline: float) -> Answer:
        """:param deadline: by time.monotonic() :raises Failure:"""
        connection = self._kept() or self._opened(deadline)
        left = max(0, int((deadline - time.monotonic()) * 1000))
        head = f"POST {path} HTTP/1.1\r\n{self._head}connect-timeout-ms: {left}\r\ncontent-length: {len(body)}\r\n\r\n"
        is_read = False
        try:
            connection.settimeout(_left(deadline))
            connection.sendall(head.encode("latin-1") + body)
            received = b""
            while b"\r\n\r\n" not in received:
                received += self._more(connection, deadline, is_read)
                is_read = True
                if len(received) > _MOST_HEAD + _MOST_BYTES:
                    raise Failure("UNREADABLE_ANSWER", "too large a head")
            answer_head, _, rest = received.partition(b"\r\n\r\n")
            status, headers = _head_of(answer_head)
            length = headers.get("content-length", "")
            if not length.isdecimal() or "transfer-encoding" in headers or int(length) > _MOST_BYTES:
                raise Failure("UNREADABLE_ANSWER", "an answer without a length, or of more than 64 KiB")
            while len(rest) < int(length):
                rest += self._more(connection, deadline, is_read)
            if len(rest) > int(length):
                raise Failure("UNREADABLE_ANSWER", "more than one answer")
        except BaseException as error:
            # A connection whose answer was not read to its end is never used again.
            connection.close()
            raise _failure_of(error, may_retry=not is_read) from None
        if headers.get("connection", "").lower() == "close":
            connection.close()
        else:
            with self._lock:
                self._idle.append((connection, time.monotonic()))
        return Answer(status, headers, rest)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _kept(self) -> socket.socket | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection, since = self._idle.pop()
            # What can be read before a request is the end of the connection.
            if time.monotonic() - since < _IDLE_S and not select.select([connection], [], [], 0)[0]:
                return connection
            connection.close()

    def _opened(self, deadline: float) -> socket.socket:
        try:
            connection = socket.create_connection((self.target.host, self.target.port), _left(deadline))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.target.tls:
                connection.settimeout(_left(deadline))
                return self.target.tls.wrap_socket(connection, server_hostname=self.target.host)
            return connection
        except Exception as error:
            raise _failure_of(error, may_retry=True) from None

    @staticmethod
    def _more(connection: socket.socket, deadline: float, is_read: bool) -> bytes:
        connection.settimeout(_left(deadline))
        if more := connection.recv(65536):
            return more
        raise Failure("UNAVAILABLE", "the connection was closed", may_retry=not is_read)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise Failure("DEADLINE_EXCEEDED", "no answer within the deadline")
    return left


def _head_of(head: bytes) -> tuple[int, dict[str, str]]:
    lines = head.decode("latin-1").split("\r\n")
    version, _, rest = lines[0].partition(" ")
    if version != "HTTP/1.1" or not rest[:3].isdecimal():
        raise Failure("UNREADABLE_ANSWER", "no answer of HTTP/1.1")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        if name.lower() in headers:
            headers[name.lower()] += ","
        headers[name.lower()] = headers.get(name.lower(), "") + value.strip()
    return int(rest[:3]), headers


def _failure_of(error: BaseException, *, may_retry: bool) -> BaseException:
    if isinstance(error, TimeoutError):
        return Failure("DEADLINE_EXCEEDED", "no answer within the deadline")
    if isinstance(error, OSError):
        return Failure("UNAVAILABLE", type(error).__name__, may_retry=may_retry)
    return error
