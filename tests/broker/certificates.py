"""An authority and its certificates, as a club would make them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


class Authority:
    """Makes certificates for 127.0.0.1."""

    def __init__(self, directory: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("needs openssl (apt install openssl)")
        self.directory = directory
        self.ca = directory / "ca.crt"
        directory.mkdir(exist_ok=True)
        self._openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=club",
                      "-keyout", "ca.key", "-out", "ca.crt", "-addext", "keyUsage=keyCertSign")  # fmt: skip
        (directory / "index.txt").touch()
        (directory / "serial").write_text("01\n")
        (directory / "ca.cnf").write_text(
            "[ca]\ndefault_ca=club\n[club]\ndir=.\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\nunique_subject=no\n"
            "certificate=ca.crt\nprivate_key=ca.key\ndefault_md=sha256\npolicy=any\ncopy_extensions=copy\n"
            "[any]\ncommonName=supplied\n"
        )

    def _openssl(self, *words: str) -> None:
        done = subprocess.run(["openssl", *words], cwd=self.directory, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def certificate(self, name: str, start: str, end: str, address: str = "127.0.0.1") -> tuple[Path, Path]:
        """Its file and its key's; valid between two dates (``20261201000000Z``)."""
        self._openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key",
                      "-out", f"{name}.csr", "-addext", f"subjectAltName=IP:{address}")  # fmt: skip
        self._openssl("ca", "-batch", "-config", "ca.cnf", "-in", f"{name}.csr", "-out", f"{name}.crt",
                      "-startdate", start, "-enddate", end, "-notext")  # fmt: skip
        return self.directory / f"{name}.crt", self.directory / f"{name}.key"
