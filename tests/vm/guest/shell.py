"""Commands and files of the guest, for the host."""

import subprocess


def run(command: str, timeout: float) -> tuple[int, str]:
    """A shell command: [exit status, output]. 124: it took longer than ``timeout`` seconds."""
    try:
        done = subprocess.run(
            ["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=timeout, cwd="/",
        )  # fmt: skip
    except subprocess.TimeoutExpired as e:
        return 124, (e.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout.decode(errors="replace")


def put(path: str, text: str) -> None:
    """Writes a file."""
    with open(path, "w") as f:
        f.write(text)
