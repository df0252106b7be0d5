"""Who may talk to the pages, and what may never be in their traffic."""

from __future__ import annotations

import asyncio
import json
import queue
import re
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web
from playwright.sync_api import Browser

from mind_box.page.web import listen, own_name
from mind_box.virtual.tryout.try_page import Session, TriedRoom, TryPage
from tests.e2e.machine import Machine
from tests.page.browsing import Tried, quick_box, traffic, visit

HIDDEN = re.compile(r'"[WR]\d+"|MB1:|\b[WR]\d+\b')
"""A card of the Extreme deck, wherever it stands: no other text of a page looks like it."""


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    tried = Tried(tmp_path_factory.mktemp("secure"), quick_box(2), "--partners", "person")
    yield tried
    tried.close()


def free_port() -> int:
    with closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


@pytest.fixture
def box(tmp_path: Path) -> Iterator[tuple[Machine, str]]:
    """A real ``mind-box run --page``, known hands of the Extreme deck; and where its page is."""
    port = free_port()
    game = '[game]\nhands = "known"\nvariant = "extreme"\ndeck = "extreme"\n'
    machine = Machine(tmp_path, f"same_card_seconds = 0.2\n[page]\nport = {port}\n{game}")
    machine.options = ("--page",)
    try:
        machine.start()
        yield machine, f"http://127.0.0.1:{port}"
    finally:
        machine.close()


async def knock(origin: str, headers: dict[str, str], first: str | None = None) -> int:
    """Opens the page's socket and says ``first``: the HTTP status of a refusal, else the code it is closed with."""
    async with aiohttp.ClientSession() as session:
        try:
            async with session.ws_connect(f"{origin}/ws", headers=headers) as ws:
                if first is not None:
                    await ws.send_str(first)
                while (await ws.receive(timeout=10)).type is aiohttp.WSMsgType.TEXT:
                    pass
                assert ws.close_code is not None
                return ws.close_code
        except aiohttp.WSServerHandshakeError as e:
            return e.status


OTHERS: list[dict[str, str]] = [
    {},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "https://127.0.0.1"},
    {"Origin": "ftp://{host}"},
    {"Origin": "{host}"},
    {"Origin": "https://{host}@evil.example"},
    {"Origin": "https://{host}.evil.example"},
    {"Origin": "https://["},
    {"Origin": "http://evil.example", "Host": "evil.example"},
]


@pytest.mark.parametrize("headers", OTHERS, ids=str)
async def test_a_socket_from_elsewhere_is_refused_even_with_the_token(tried: Tried, headers: dict[str, str]) -> None:
    host = tried.origin.removeprefix("http://")
    headers = {name: value.format(host=host) for name, value in headers.items()}
    assert await knock(tried.origin, headers, json.dumps({"token": tried.token})) == 403


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://{host}", "{host}"),
        ("https://localhost", "localhost"),  # a proxy with the ports that need no number
        ("https://localhost", "localhost:443"),
        ("http://localhost", "LOCALHOST:80"),
        ("https://[::1]:8443", "[::1]:8443"),
    ],
)
async def test_a_page_before_a_proxy_is_one_of_this_server(tried: Tried, origin: str, host: str) -> None:
    """The page is https, and what comes here is not: the scheme tells nothing, host and port do."""
    here = tried.origin.removeprefix("http://")
    headers = {"Origin": origin.format(host=here), "Host": host.format(host=here)}
    assert await knock(tried.origin, headers, "{}") == 4403


@pytest.mark.parametrize("host", ["localhost:444", "localhost:80", "127.0.0.1"])
async def test_another_port_is_another_server(tried: Tried, host: str) -> None:
    assert await knock(tried.origin, {"Origin": "https://localhost", "Host": host}, "{}") == 403


def repr_of(value: str) -> str:
    return value[:20]


@pytest.mark.parametrize(
    "first", ["{}", '{"token": "guess"}', "[]", "no JSON", '{"token": null}', "[" * 100_000], ids=repr_of
)
async def test_without_the_token_nothing_is_told(tried: Tried, first: str) -> None:
    assert await knock(tried.origin, {"Origin": tried.origin}, first) == 4403


async def test_the_token_is_in_no_file_that_is_served(tried: Tried) -> None:
    async with aiohttp.ClientSession() as session:
        for path in ("/", "/app.js", "/look.css", "/icon.svg"):
            async with session.get(tried.origin + path) as response:
                assert response.status == 200
                assert tried.token not in await response.text()
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
                assert response.headers["X-Content-Type-Options"] == "nosniff"


async def test_a_name_that_was_pointed_here_is_refused(tried: Tried) -> None:
    async with aiohttp.ClientSession() as session, session.get(tried.origin, headers={"Host": "evil.example"}) as r:
        assert r.status == 403


def test_names_of_this_machine() -> None:
    here = socket.gethostname().split(".")[0]
    for name in ("127.0.0.1:8750", "192.168.1.7", "[::1]:8750", "localhost:1", here, f"{here}.local:8750", "box.lan"):
        assert own_name(name, "box.lan")
    for name in ("evil.example", "evil.example:8750", "127.0.0.1.evil.example", "localhost.evil.example", ""):
        assert not own_name(name, "127.0.0.1")


async def test_a_message_without_sense_is_told_and_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    """Deeper than JSON is read: the page goes on listening."""
    page = TryPage("token", "127.0.0.1")
    page.room = cast(TriedRoom, object())
    page._take(Session(web.WebSocketResponse()), "[" * 100_000)
    page.room = None
    assert "without sense" in caplog.text and len(caplog.text) < 1000


def test_a_page_of_another_origin_cannot_open_the_socket(browser: Browser, tried: Tried) -> None:
    """In the real browser, from a page on another port, with the right token."""
    script = f"""
        const socket = new WebSocket("ws://{tried.origin.removeprefix("http://")}/ws");
        socket.onopen = () => {{ document.title = "opened"; }};
        socket.onerror = () => {{ document.title = "refused"; }};
    """

    async def serve(started: Callable[[str], None], end: asyncio.Event) -> None:
        app = web.Application()

        async def page(_: web.Request) -> web.Response:
            return web.Response(text=f"<title>waiting</title><script>{script}</script>", content_type="text/html")

        app.router.add_get("/", page)
        runner = await listen(app, "127.0.0.1", 0)
        started(f"http://127.0.0.1:{runner.addresses[0][1]}/")
        await end.wait()
        await runner.cleanup()

    with in_thread(serve) as url:
        page = browser.new_page()
        page.goto(url)
        page.wait_for_function("document.title !== 'waiting'")
        assert page.title() == "refused"
        page.close()


@contextmanager
def in_thread(serve: Callable[[Callable[[str], None], asyncio.Event], Coroutine[Any, Any, None]]) -> Iterator[str]:
    """Runs a server in a thread beside the browser's; gives its address."""
    addresses: queue.Queue[str] = queue.Queue()
    loop = asyncio.new_event_loop()
    end = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(serve(addresses.put, end)))
    thread.start()
    try:
        yield addresses.get(timeout=20)
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()


# -- what is in the traffic


def texts(heard: list[str | bytes]) -> list[str]:
    """The messages; screens come as bytes, drawn from the View."""
    return [message for message in heard if isinstance(message, str)]


def test_the_virtual_box_sends_no_card_that_is_not_being_looked_at(browser: Browser, tmp_path: Path) -> None:
    """Known hands of the Extreme deck, dealt through the box: seat 1 is looked at, seat 2 is a partner's, 3 covered."""
    tried = Tried(tmp_path, quick_box(3, hands="known", variant="extreme", deck="extreme"), "--partners", "steady")
    try:
        for visitor in visit(browser, tried):
            page = visitor.page
            heard = traffic(page)
            page.reload()
            visitor.wait("state.power === 'on'")
            page.locator("#kind-3").select_option("person")
            visitor.wait("state.seats[2].kind === 'person'")
            visitor.start(3)
            visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
            visitor.look(1)
            visitor.hands()
            visitor.wait("view.phase === 'play'")
            hands = tried.hands
            mine, *hidden = (set(map(str, hands[seat])) for seat in (1, 2, 3))
            for text in texts(heard):
                cards = set(re.findall(r"\b[WR]\d+\b", text))
                view = json.loads(text).get("view") or {"piles": [], "aside": []}
                shown = {c for pile in view["piles"] for c in pile} | set(view["aside"])
                assert cards <= mine | shown, text
            assert any(mine & set(re.findall(r"\b[WR]\d+\b", text)) for text in texts(heard)), "nothing was heard"
            assert all(not hand & mine for hand in hidden)
    finally:
        tried.close()


def test_a_partners_hand_is_not_sent_on_request_either(browser: Browser, tmp_path: Path) -> None:
    """A session of our own asks for all hands of a level that is dealt: what the first answer left out, a second
    would bring."""
    tried = Tried(tmp_path, quick_box(3), "--partners", "steady")
    try:
        for visitor in visit(browser, tried):
            visitor.start(3)
            visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
            answers = visitor.page.evaluate(
                """(token) => new Promise((done) => {
                    const socket = new WebSocket(`ws://${location.host}/ws`);
                    const heard = [];
                    const say = (message) => socket.send(JSON.stringify(message));
                    socket.onopen = () => {
                        say({token});
                        for (const seat of [2, 3, 1]) say({do: "look", seat, on: true});
                    };
                    socket.onmessage = ({data}) => {
                        if (typeof data !== "string") return;
                        const message = JSON.parse(data);
                        heard.push(message);
                        if (message.seat === 1 && message.cards) say({do: "worn", on: true});
                        if (message.worn) { say({do: "worn", on: false}); say({do: "repeats", on: true}); }
                        if (message.repeats) { say({do: "repeats", on: false}); done(heard); }
                    };
                })""",
                tried.token,
            )
            sent = [(answer["seat"], answer["cards"]) for answer in answers if answer["type"] == "hand"]
            assert {seat for seat, _ in sent} == {1, 2, 3}, "each was asked for"
            assert [(seat, cards) for seat, cards in sent if cards is not None] == [(1, tried.hands[1])]
    finally:
        tried.close()


def test_the_table_page_shows_no_hidden_card_and_takes_nothing(browser: Browser, box: tuple[Machine, str]) -> None:
    machine, origin = box
    page = browser.new_page()
    heard = traffic(page)
    page.goto(origin)
    page.wait_for_selector("body[data-phase=lobby]")

    machine.press(1, 2)
    machine.expect(hands_down=[1, 2])
    machine.pass_time(0.6)
    machine.lift(1, 2)
    machine.expect(phase="deal")
    machine.scan("W12")
    machine.expect(counts={"1": 1, "2": 0})
    machine.scan("R40")
    machine.expect(phase="focus")
    machine.press(1, 2)
    machine.expect(hands_down=[1, 2])
    machine.lift(1, 2)
    machine.expect(phase="play")
    page.wait_for_selector("body[data-phase=play]")
    assert heard
    assert not [text for text in texts(heard) if HIDDEN.search(text)], "a card that is still in a hand"

    machine.pass_time(0.25)  # the card has been away from the reader
    machine.scan("W12")
    page.locator("#top .big", has_text="12").wait_for()
    assert any('"W12"' in text for text in texts(heard))
    assert not [text for text in texts(heard) if "R40" in text]

    # It takes nothing: whatever is said to it, it hangs up, and the box stays as it is.
    before = machine.view
    for message in ('{"do":"press","button":1}', '{"token":"x"}', "tap 1"):
        assert aside(knock(origin, {"Origin": origin}, message)) == 1008
    for headers in OTHERS:
        headers = {name: value.format(host=origin.removeprefix("http://")) for name, value in headers.items()}
        assert aside(knock(origin, headers)) == 403
    assert aside(refused(origin)) == {404, 405}
    assert machine.view == before
    page.close()


def aside(work: Coroutine[Any, Any, Any]) -> Any:
    """Runs it in another thread: the browser's own loop is running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def refused(origin: str) -> set[int]:
    """The answers to requests that a page for looking has no use for."""
    async with aiohttp.ClientSession() as session:
        statuses = set()
        asked = [("POST", "/"), ("PUT", "/"), ("DELETE", "/"), ("GET", "/journal.db"), ("GET", "/../box.toml")]
        for method, path in asked:
            async with session.request(method, origin + path) as response:
                statuses.add(response.status)
        return statuses
