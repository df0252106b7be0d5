"""Runs as root in the guest: one JSON line in, a function of this directory called, one JSON line out."""

import importlib
import json
import os
import sys
import time
import traceback
from io import FileIO
from typing import Any

PORT = "/dev/virtio-ports/agent"


def main() -> None:
    while not os.path.exists(PORT):
        time.sleep(0.1)
    with open(PORT, "r+b", buffering=0) as port:
        answer(port, {"ready": time.monotonic()})
        waiting = b""
        while True:
            data = port.read(65536)
            if not data:  # nobody is at the other end yet
                time.sleep(0.05)
                continue
            waiting += data
            *lines, waiting = waiting.split(b"\n")
            for line in lines:
                if line:
                    answer(port, serve(json.loads(line)))


def answer(port: FileIO, message: dict[str, Any]) -> None:
    rest = memoryview(json.dumps(message).encode() + b"\n")
    while rest:
        rest = rest[port.write(rest) or 0 :]


def serve(request: dict[str, Any]) -> dict[str, Any]:
    try:
        module, name = request["call"].split(".")
        value = getattr(importlib.import_module(module), name)(*request["args"])
        return {"id": request["id"], "value": value}
    except Exception:
        return {"id": request["id"], "error": traceback.format_exc()}


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(__file__))
    main()
