"""What a broker costs an idle box: the same box beside another without one, at the same time."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import benchmarks
from benchmarks.idle import wakeups
from benchmarks.start import as_installed, cpu, five_screens, rss
from mind_box.service.status import ask
from tests.broker.mosquitto import Mosquitto

SECONDS = 120.0


def measure(seconds: float = SECONDS) -> dict[str, float]:
    """Over so many seconds of real time in the lobby: more memory, more wake-ups, more CPU."""
    if shutil.which("mosquitto") is None:
        raise benchmarks.Missing("Mosquitto is not installed: apt install mosquitto")
    as_installed()
    with tempfile.TemporaryDirectory() as place:
        broker = Mosquitto(Path(place) / "broker")
        plain, told = five_screens(Path(place) / "plain"), five_screens(Path(place) / "told")
        with told.settings.open("a") as settings:
            settings.write(f'\n[broker]\nhost = "127.0.0.1"\nport = {broker.port}\nname = "box"\nclub = true\n')
        try:
            for box in (plain, told):
                box.start()
            told.until(lambda: (ask(told.run) or {}).get("broker", {}).get("connected"))
            plain.pass_time(5.0)
            before = [(wakeups(box.pid), cpu(box.pid)) for box in (plain, told)]
            plain.pass_time(seconds)
            after = [(wakeups(box.pid), cpu(box.pid)) for box in (plain, told)]
            memory = [rss(box.pid) for box in (plain, told)]
        finally:
            for box in (plain, told):
                box.close()
            broker.stop()
    woken, spent = ([now[i] - then[i] for then, now in zip(before, after, strict=True)] for i in (0, 1))
    return {
        "seconds": seconds,
        "more_mb": round((memory[1] - memory[0]) / 1e6, 2),
        "more_wakeups_per_second": round((woken[1] - woken[0]) / seconds, 3),
        "more_cpu_ms_per_second": round(1000 * (spent[1] - spent[0]) / seconds, 3),
    }
