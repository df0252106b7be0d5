"""``mind-box self-test``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from mind_box.commands import add_config, config_of
from mind_box.self_test.alone import on_devices


def self_test(parser: argparse.ArgumentParser) -> None:
    """``mind-box self-test``."""
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="the result as JSON, the questions on stderr")
    parser.set_defaults(run=_self_test)


def _self_test(args: argparse.Namespace) -> int:
    """Asks its way through the box. Returns 0 when everything works, 1 when not. Raises ``ConfigError``."""
    config = config_of(args)
    print("The box must not be running meanwhile: sudo systemctl stop mind-box", file=sys.stderr)
    try:
        test = asyncio.run(on_devices(config))
    except KeyboardInterrupt:
        print("mind-box self-test: stopped.", file=sys.stderr)
        return 1
    print(json.dumps(test.to_json(), indent=1) if args.json else test.page(), end="\n" if args.json else "")
    return 0 if test.ok else 1
