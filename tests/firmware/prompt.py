"""A board that runs our firmware until it is asked to leave, then MicroPython's raw prompt, on standard streams.

``prompt.py FOLDER [ours]``: FOLDER is the board's file system. Only for tests; runs on CPython.
"""

import contextlib
import errno
import io
import os
import sys
import traceback
import types

from mind_box.devices.nfc.link import Lines, line


class Reset(Exception):
    pass


def reset() -> None:
    raise Reset


def get() -> bytes:
    byte = os.read(0, 1)
    if not byte:
        raise SystemExit
    return byte


def put(data: bytes) -> None:
    os.write(1, data)


def main() -> None:
    os.chdir(sys.argv[1])
    if sys.argv[2:] == ["ours"]:
        lines = Lines()
        while not any(m == ["U"] for m in lines.feed(get())):
            pass
        put(line("U", "abc123"))
    machine = types.ModuleType("machine")
    machine.reset = reset  # type: ignore[attr-defined]
    sys.modules["machine"] = machine
    time = types.ModuleType("time")
    time.sleep_ms = lambda _: None  # type: ignore[attr-defined]
    names: dict[str, object] = {}
    command = b""
    raw = False
    while True:
        byte = get()
        if byte == b"\x01":
            raw, command = True, b""
            put(b"raw REPL; CTRL-B to exit\r\n>")
        elif byte in (b"\x02", b"\x03"):
            command = b""
        elif raw and byte == b"\x05":
            get(), get()
            put(b"R\x00")  # no raw-paste mode
        elif raw and byte == b"\x04":
            put(b"OK")
            out, wrong = io.StringIO(), ""
            real = sys.modules["time"]
            sys.modules["time"] = time
            try:
                with contextlib.redirect_stdout(out):
                    exec(command.decode(), names)
            except Reset:
                with open("started", "w") as file:
                    file.write("yes")
                return
            except OSError as e:  # in MicroPython's words
                wrong = f"Traceback\nOSError: [Errno {e.errno}] {errno.errorcode[e.errno or 0]}"
            except Exception:
                wrong = traceback.format_exc()
            finally:
                sys.modules["time"] = real
            put(out.getvalue().encode() + b"\x04" + wrong.encode() + b"\x04>")
            command = b""
        elif raw:
            command += byte


main()
