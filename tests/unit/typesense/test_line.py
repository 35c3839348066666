"""The connection under the official client: kept, and left when it is over."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import create_server, socket
from typing import Any

import httpx
import pytest

from vitrine.typesense.client import connect, perform
from vitrine.typesense.line import Line

FOUND = b'{"results": [{"found": 3}]}'


@contextmanager
def answering(*, hangs_up: bool = False) -> Iterator[tuple[str, list[Any]]]:
    """Serve one answer to each POST; note each request with its connection."""
    noted: list[Any] = []

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            size = int(self.headers["content-length"])
            noted.append((self.client_address, self.path, self.rfile.read(size)))
            self.send_response(200)
            self.send_header("content-length", str(len(FOUND)))
            self.end_headers()
            self.wfile.write(FOUND)
            # Without a word of it in the answer, as a server does that is stopped.
            self.close_connection = hangs_up

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", noted
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_searches_share_one_connection() -> None:
    with answering() as (url, noted), closing(Line(url, timeout=2)) as line:
        client = connect(url, "key", http=line)

        found = [perform(client, [{"q": "chair"}])[0]["found"] for _ in range(3)]

    assert [3, 3, 3] == found
    assert 1 == len({address for address, _, _ in noted})
    assert {"/multi_search"} == {path for _, path, _ in noted}


def test_a_connection_that_is_over_is_left() -> None:
    with (
        answering(hangs_up=True) as (url, noted),
        closing(Line(url, timeout=2)) as line,
    ):
        client = connect(url, "key", http=line)

        found = [perform(client, [{"q": "chaise"}])[0]["found"] for _ in range(3)]

    assert [3, 3, 3] == found
    assert 1 < len({address for address, _, _ in noted})


def test_a_text_is_sent_in_utf_8() -> None:
    with answering() as (url, noted), closing(Line(url, timeout=2)) as line:
        answer = line.post(f"{url}/multi_search", content='{"q": "chêne"}')

    assert {"results": [{"found": 3}]} == answer.json()
    assert ['{"q": "chêne"}'.encode()] == [body for _, _, body in noted]


def test_who_is_silent_is_waited_for_no_longer_than_was_said() -> None:
    with (
        closing(create_server(("127.0.0.1", 0))) as silent,
        closing(Line(_address(silent), timeout=0.05)) as line,
        pytest.raises(httpx.ReadTimeout),
    ):
        line.post(f"{_address(silent)}/multi_search", content=b"{}")


def test_who_is_not_there_is_a_transport_error() -> None:
    with closing(create_server(("127.0.0.1", 0))) as gone:
        url = _address(gone)

    with closing(Line(url, timeout=2)) as line, pytest.raises(httpx.TransportError):
        line.post(f"{url}/multi_search", content=b"{}")


def _address(listening: socket) -> str:
    return f"http://127.0.0.1:{listening.getsockname()[1]}"
