"""``mind-box self-test``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time

from gpiozero import GPIOZeroError

from mind_box.commands import add_config, config_of
from mind_box.devices.gpio.bench_lines import open_lines
from mind_box.devices.gpio.pin_factory import NoFactory
from mind_box.self_test import items
from mind_box.self_test.alone import on_devices
from mind_box.self_test.bench import Bench, lines_of
from mind_box.settings.schema import Config


def self_test(parser: argparse.ArgumentParser) -> None:
    """``mind-box self-test``."""
    add_config(parser)
    parser.add_argument(
        "--bench", action="store_true", help="a bare board on the Pi, no cable in it: shorts, stuck lines, every plug"
    )
    parser.add_argument("--json", action="store_true", help="the result as JSON, the questions on stderr")
    parser.set_defaults(run=_self_test)


def _self_test(args: argparse.Namespace) -> int:
    """Asks its way through the box. Returns 0 when everything works, 1 when not. Raises ``ConfigError``."""
    config = config_of(args)
    print("The box must not be running meanwhile: sudo systemctl stop mind-box", file=sys.stderr)
    if args.bench:
        return _bench(config, args.json)
    try:
        test = asyncio.run(on_devices(config))
    except KeyboardInterrupt:
        print("mind-box self-test: stopped.", file=sys.stderr)
        return 1
    print(json.dumps(test.to_json(), indent=1) if args.json else test.page(), end="\n" if args.json else "")
    return 0 if test.ok else 1


def _bench(config: Config, as_json: bool) -> int:
    """A bare board, with hardware/BUILD.md's test plugs. Returns 0 when everything is right, 1 when not."""
    wanted = lines_of(config)
    try:
        ports = open_lines(config.gpio, [line.pin for line in wanted])
    except (NoFactory, GPIOZeroError, OSError) as e:
        print(f"mind-box self-test: the pins cannot be had: {e}", file=sys.stderr)
        return 1
    bench = Bench(wanted, ports, lambda text: print(text, file=sys.stderr, flush=True), time.sleep)
    try:
        bench.run()
    except KeyboardInterrupt:
        print("mind-box self-test: stopped.", file=sys.stderr)
        return 1
    finally:
        ports.close()
    if as_json:
        print(json.dumps(items.to_json(bench.items, bench.ok), indent=1, ensure_ascii=False))
    else:
        print(items.page(bench.items), end="")
    return 0 if bench.ok else 1
