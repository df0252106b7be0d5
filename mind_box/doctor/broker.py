"""The broker, where the settings name one: its package, and what the running box says of its connection."""

from __future__ import annotations

from collections.abc import Iterator

from mind_box.doctor.packages import Version, installed
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene, Verdict
from mind_box.pip import pip


def check(scene: Scene, version: Version = installed) -> Iterator[Verdict]:
    """Nothing for a box without a broker."""
    broker = scene.config.broker
    if not broker.host:
        return
    for package in ("paho-mqtt", *(["zeroconf"] if broker.host == "auto" else [])):
        if version(package) is None:
            cure = f"sudo make install BROKER=1; else {pip('install', package)}"
            yield Verdict("broker", WRONG, f"{package} is not installed, and broker.host is set", cure)
    said = (scene.running or {}).get("broker")
    if said is None:
        yield Verdict("broker", NOTE, f"{broker.host}: no box runs that could tell of it")
        return
    if said["trouble"]:
        yield Verdict("broker", WRONG, f"{broker.host}: {said['trouble']}", "see docs/broker.md, 'What may go wrong'")
    elif said["connected"]:
        yield Verdict("broker", OK, f"connected with {broker.host} as {said['name']}")
    else:
        yield Verdict("broker", NOTE, f"{broker.host}: is being connected")
    if said["results_waiting"]:
        yield Verdict("broker", NOTE, f"{said['results_waiting']} results wait for a hub (mind-box club)")
