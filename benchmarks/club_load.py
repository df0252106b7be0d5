"""Many boxes on one broker, and on a cluster of which one node is killed: delay, memory, and whether anything is lost.

Boxes are plain MQTT 3.1.1 connections of one process that say what a box says; a second process listens as a hub does.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import benchmarks
from mind_box.broker.topics import text_of_state
from mind_box.table.view import View
from tests.broker.mosquitto import Mosquitto, free_port

BOXES, RATE, SECONDS = 1000, 1000.0, 20.0
QUIET = 8.0
"""Seconds without a message after which all have come."""
STATE = text_of_state(View(phase="play", seats=(1, 2, 3), level=3, last_level=10, piles=(tuple(range(1, 30)),)), "en")


def measure(boxes: int = BOXES, rate: float = RATE, seconds: float = SECONDS) -> dict[str, Any]:
    """Of Mosquitto, and of three NATS nodes one of which dies in the middle."""
    if shutil.which("mosquitto") is None:
        raise benchmarks.Missing("Mosquitto is not installed: apt install mosquitto")
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
    with tempfile.TemporaryDirectory() as place:
        broker = Mosquitto(Path(place) / "broker", "log_type error", "max_queued_messages 0")
        try:
            one = asyncio.run(_load([broker.port], [broker.pid], boxes, rate, seconds))
        finally:
            broker.stop()
    result: dict[str, Any] = {"mosquitto": one}
    if shutil.which("nats-server") is None:
        result["nats"] = {"left_out": "apt install nats-server"}
    else:
        with tempfile.TemporaryDirectory() as place, _cluster(Path(place)) as (ports, nodes):
            pids = [node.pid for node in nodes]
            result["nats"] = asyncio.run(_load(ports, pids, boxes // 5, rate / 5, seconds, nodes[2]))
    return result


async def _load(
    ports: Sequence[int], pids: Sequence[int], boxes: int, rate: float, seconds: float, victim: Any = None
) -> dict[str, Any]:
    """``victim`` is killed in the middle; its boxes go to the next port and send again what was not acknowledged."""
    context = multiprocessing.get_context("spawn")
    told: Any = context.Queue()
    listener = context.Process(target=_listen, args=(ports[0], told))
    listener.start()
    await asyncio.to_thread(told.get)
    loop = asyncio.get_running_loop()
    began = loop.time()
    all_boxes = [Box(i, list(ports[i % len(ports) :]) + list(ports)) for i in range(boxes)]
    for box in all_boxes:
        await box.connect()
    connected = loop.time() - began
    await asyncio.sleep(1)
    memory, spent = sum(map(_rss, pids)), sum(map(_cpu, pids))
    began, sent, dead = loop.time(), 0, victim is None
    while loop.time() - began < seconds:
        if not dead and loop.time() - began > seconds / 2:
            spent -= _cpu(victim.pid)
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            dead = True
        due = int((loop.time() - began) * rate)
        while sent < due:
            all_boxes[sent * 7919 % boxes].publish(sent)
            sent += 1
        await asyncio.sleep(0.005)
    took = loop.time() - began
    delays = sorted(await asyncio.to_thread(told.get))
    listener.join()
    alive = [pid for pid in pids if victim is None or pid != victim.pid]
    return {
        "boxes": boxes,
        "sent": sent,
        "messages_per_second": round(sent / took),
        "heard": len(delays),
        "lost": sent - len(delays),
        "connected_s": round(connected, 1),
        "rss_mb": round(memory / 1e6, 1),
        "cpu_percent": round(100 * (sum(map(_cpu, alive)) - spent) / (took + QUIET), 1),
        "p50_ms": round(1000 * delays[len(delays) // 2], 1),
        "p99_ms": round(1000 * delays[len(delays) * 99 // 100], 1),
        "load": round(os.getloadavg()[0], 1),
    }


class Box:
    """One connection."""

    def __init__(self, number: int, ports: list[int]) -> None:
        self.number = number
        self._ports = ports
        self._waiting: dict[int, bytes] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        while True:
            try:
                reader, self._writer = await asyncio.open_connection("127.0.0.1", self._ports[0])
                self._writer.write(_greeting(f"box{self.number}"))
                await _packet(reader)
                break
            except (OSError, asyncio.IncompleteReadError):
                self._ports.append(self._ports.pop(0))
        self._writer.write(_message(f"mind-box/{self.number}/availability", b"online", 60_001, True))
        self._writer.write(_message(f"mind-box/{self.number}/state", STATE.encode(), 60_002, True))
        for packet in self._waiting.values():
            self._writer.write(packet)
        self._reading = asyncio.create_task(self._read(reader))

    def publish(self, number: int) -> None:
        body = json.dumps({"format": 1, "id": str(number), "event_type": "laid", "at": time.monotonic()}).encode()
        packet = _message(f"mind-box/{self.number}/event", body, number % 60_000 + 1, False)
        self._waiting[number % 60_000 + 1] = packet
        if self._writer is not None:
            self._writer.write(packet)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while True:
                head, body = await _packet(reader)
                if head >> 4 == 4:
                    self._waiting.pop(int.from_bytes(body[:2], "big"), None)
        self._ports.append(self._ports.pop(0))
        await self.connect()


def _listen(port: int, told: Any) -> None:
    """Tells the delay of each message that came, doubles left out."""

    async def main() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(_greeting("hub"))
        await _packet(reader)
        topic = _text("mind-box/+/event")
        writer.write(b"\x82" + _length(len(topic) + 3) + b"\0\1" + topic + b"\1")
        await _packet(reader)
        told.put("ready")
        delays: dict[str, float] = {}
        patience = 120.0
        with contextlib.suppress(TimeoutError, asyncio.IncompleteReadError):
            while True:
                head, body = await asyncio.wait_for(_packet(reader), patience)
                if head >> 4 != 3:
                    continue
                patience = QUIET
                end = 2 + int.from_bytes(body[:2], "big")
                if head & 6:
                    writer.write(b"\x40\2" + body[end : end + 2])
                    end += 2
                fields = json.loads(body[end:])
                delays.setdefault(fields["id"], time.monotonic() - fields["at"])
        told.put(list(delays.values()))

    asyncio.run(main())


@contextlib.contextmanager
def _cluster(directory: Path) -> Any:
    """Three NATS nodes that speak MQTT; their ports and processes."""
    routes = [free_port() for _ in range(3)]
    ports = [free_port() for _ in range(3)]
    nodes = []
    for i in range(3):
        others = ", ".join(f'"nats-route://127.0.0.1:{route}"' for route in routes)
        config = directory / f"node{i}.conf"
        config.write_text(
            f'server_name: n{i}\nlisten: "127.0.0.1:{free_port()}"\njetstream {{ store_dir: "{directory}/js{i}" }}\n'
            f'cluster {{ name: club, listen: "127.0.0.1:{routes[i]}", routes: [{others}] }}\n'
            f'mqtt {{ listen: "127.0.0.1:{ports[i]}" }}\n'
        )
        with (directory / f"log{i}").open("wb") as log:
            nodes.append(subprocess.Popen(["nats-server", "-c", str(config)], stdout=log, stderr=log))
    try:
        end = time.monotonic() + 60
        for port in ports:  # it takes MQTT when it has agreed with the others
            while not _greets(port):
                assert time.monotonic() < end, (directory / "log0").read_text()[-2000:]
        yield ports, nodes
    finally:
        for node in nodes:
            node.kill()
            node.wait()


def _greets(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 2) as s:
        s.sendall(_greeting(f"probe{port}"))
        return s.recv(4)[:1] == b"\x20"
    time.sleep(0.2)
    return False


def _length(number: int) -> bytes:
    out = b""
    while True:
        number, digit = divmod(number, 128)
        out += bytes([digit | (128 if number else 0)])
        if not number:
            return out


def _text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()


def _greeting(name: str) -> bytes:
    body = _text("MQTT") + b"\4\2" + struct.pack(">H", 60) + _text(name)
    return b"\x10" + _length(len(body)) + body


def _message(topic: str, payload: bytes, number: int, retain: bool) -> bytes:
    body = _text(topic) + struct.pack(">H", number) + payload
    return bytes([0x32 | retain]) + _length(len(body)) + body


async def _packet(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readexactly(1))[0]
    length = shift = 0
    while True:
        digit = (await reader.readexactly(1))[0]
        length |= (digit & 127) << shift
        shift += 7
        if digit < 128:
            return head, await reader.readexactly(length)


def _rss(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _cpu(pid: int) -> float:
    return time.clock_gettime(~pid << 3 | 2)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
