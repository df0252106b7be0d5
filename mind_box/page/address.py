"""The address at which others find the table page, and its QR code; none when only this machine can."""

from __future__ import annotations

import io
import ipaddress
import socket

ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses of documentation: a way to them is a way out of this machine. Nothing is sent there."""


def own_address(host: str, port: int) -> str | None:
    """What to type on another device, when the page listens on ``host``; None: it listens to this machine only."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None if host == "localhost" else f"http://{host}:{port}/"
    if address.is_loopback:
        return None
    if address.is_unspecified:
        return _url(_way_out(address.version), port)
    return _url(host, port)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _way_out(version: int) -> str:
    """This machine's address in its network; its name where there is no network yet."""
    for family in (socket.AF_INET, socket.AF_INET6) if version == 6 else (socket.AF_INET,):
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((ELSEWHERE[family], 9))
            except OSError:
                continue
            return str(probe.getsockname()[0])
    return f"{socket.gethostname().partition('.')[0]}.local"


def qr_picture(text: str) -> bytes | None:
    """An SVG of the text's QR code, dark on light with its quiet margin; None: segno is not installed."""
    try:
        import segno
    except ImportError:
        return None
    picture = io.BytesIO()
    segno.make(text, error="m", micro=False).save(picture, kind="svg", border=4, light="#fff", dark="#000")
    return picture.getvalue()
