"""How much of the pages' server one visitor may use, and what it answers to what is no visitor."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web

from mind_box.page import server as page_server
from mind_box.page import web as page_web
from mind_box.page.server import TablePage
from mind_box.page.spoken import labels
from mind_box.page.web import address_of, listen, make_app
from mind_box.settings.schema import PageSettings
from mind_box.table.view import View


@asynccontextmanager
async def served() -> AsyncIterator[int]:
    """A page with a socket that listens on and on; its port."""
    app = make_app("127.0.0.1")

    async def serve(request: web.Request) -> web.WebSocketResponse:
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        async for message in ws:
            await ws.send_str(message.data)
        return ws

    app.router.add_get("/ws", serve)
    runner = await listen(app, "127.0.0.1", 0)
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n", b"403"),
        (b"GET / HTTP/9.9\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"400"),
    ],
)
async def test_a_malformed_request_is_answered_and_not_logged(
    caplog: pytest.LogCaptureFixture, sent: bytes, status: bytes
) -> None:
    async with served() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        assert status in await reader.readline()
        writer.close()
    assert caplog.text == ""


async def answer(reader: asyncio.StreamReader) -> bytes:
    """Everything until the server hangs up."""
    try:
        return await asyncio.wait_for(reader.read(), 20)
    except ConnectionError:
        return b""


async def from_address(port: int, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the page from one of this machine's loopback addresses."""
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))


ASKED = b"GET /none HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


async def test_connections_are_counted_and_those_too_many_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_web, "MOST", 4)
    async with served() as port:
        silent = [await from_address(port, f"127.0.0.{n}") for n in (1, 2, 3, 4)]
        reader, writer = await from_address(port, "127.0.0.5")
        assert await answer(reader) == b""
        for reader, writer in silent:
            writer.write(ASKED)
            assert b"404" in await answer(reader)
        reader, writer = await from_address(port, "127.0.0.5")
        writer.write(ASKED)
        assert b"404" in await answer(reader)


async def test_one_address_holds_a_quarter_of_the_connections_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_web, "MOST", 12)
    async with served() as port:
        greedy = [await from_address(port, "127.0.0.1") for _ in range(3)]
        reader, _ = await from_address(port, "127.0.0.1")
        assert await answer(reader) == b""
        reader, writer = await from_address(port, "127.0.0.2")
        writer.write(ASKED)
        assert b"404" in await answer(reader)
        for reader, writer in greedy:
            writer.write(ASKED)
            assert b"404" in await answer(reader)


@pytest.mark.parametrize(
    ("peers", "same"),
    [
        (("192.168.1.7", "192.168.1.7"), True),
        (("192.168.1.7", "192.168.1.8"), False),
        (("::ffff:192.168.1.7", "192.168.1.7"), True),
        (("2001:db8::1", "2001:db8::ffff:1"), True),  # one machine takes as many of these as it likes
        (("2001:db8::1", "2001:db8:0:1::1"), False),
        (("fe80::1%eth0", "fe80::2%eth0"), True),
    ],
)
def test_who_is_one_address(peers: tuple[str, str], same: bool) -> None:
    a, b = (
        address_of(cast(asyncio.BaseTransport, SimpleNamespace(get_extra_info=lambda _, peer=peer: (peer, 1))))
        for peer in peers
    )
    assert (a == b) == same and a


ODD = {
    "404": ASKED,
    "403": b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "405": b"POST /ws HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    "417": b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: tea\r\n\r\n",
    "400": b"GET / HTTP/9.9\r\n\r\n",
    "400, no HTTP": b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
}


@pytest.mark.parametrize("status", ODD)
async def test_every_answer_carries_the_headers_and_names_no_version(status: str) -> None:
    async with served() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(ODD[status])
        head = (await answer(reader)).partition(b"\r\n\r\n")[0].decode()
    first, *lines = head.split("\r\n")
    assert first.split()[1] == status[:3]
    headers = dict(line.split(": ", 1) for line in lines)
    assert headers.items() >= page_web.HEADERS.items()
    assert not re.search(r"aiohttp|Python", head)


async def test_whoever_finds_no_place_reads_why_and_gets_one_when_one_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser tells a page nothing of a refusal, so the socket is opened, says it, and closes."""
    monkeypatch.setattr(page_server, "MOST", 4)
    page = TablePage(PageSettings(port=0), lambda: "de")
    page.show(View())
    runner = await listen(page.app, "127.0.0.1", 0)
    port = runner.addresses[0][1]
    url, headers = f"http://127.0.0.1:{port}/ws", {"Origin": f"http://127.0.0.1:{port}"}

    async def look(n: int) -> tuple[aiohttp.ClientSession, aiohttp.ClientWebSocketResponse, dict[str, Any]]:
        session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(local_addr=(f"127.0.0.{n}", 0)))
        ws = await session.ws_connect(url, headers=headers)
        return session, ws, await ws.receive_json()

    seen = [await look(n) for n in (1, 2, 3, 1, 4, 5)]
    try:
        told = [message.get("full", "") for _, _, message in seen]
        words = labels("de")
        assert told == ["", "", "", words["share"], "", words["full"]]
        for _, ws, _ in (seen[3], seen[5]):
            assert (await ws.receive()).type is aiohttp.WSMsgType.CLOSE and ws.close_code == page_web.FULL
        await seen[0][1].close()
        seen.append(await look(5))
        assert seen[-1][2]["view"]["phase"] == "lobby"
    finally:
        for session, ws, _ in seen:
            await ws.close()
            await session.close()
        await page.stop()
        await runner.cleanup()


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HTTP/1.1\r\nHost: loc", b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\nG"]
)
async def test_who_sends_no_whole_request_is_hung_up_on_and_who_did_is_not(
    monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(page_web, "PATIENCE", 0.5)
    async with (
        served() as port,
        aiohttp.ClientSession() as session,
        session.ws_connect(f"http://127.0.0.1:{port}/ws") as ws,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        await answer(reader)
        await ws.send_str("still here")
        assert await ws.receive_str() == "still here"
