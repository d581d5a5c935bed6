"""The names that a server may be asked by, and the address to give to people.

A foreign page can have its own name point at this machine (DNS rebinding) and so read what the server says. Its browser
then sends that name in the Host header, so only the names that this machine is known to have are answered. Numeric
addresses can't be made to point elsewhere: a server that listens on all addresses answers to each of them.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

EVERYWHERE = ("0.0.0.0", "::")
LOCAL = ("127.0.0.1", "localhost", "::1")

_ELSEWHERE = ("192.0.2.1", 9)
"""An address that is set aside for documentation (RFC 5737): asked only which way a packet would go, for none is
sent."""


class Hosts:
    """The names and addresses that a server goes by which listens on ``host``; ``names`` are more that people gave."""

    def __init__(self, host: str, names: Iterable[str] = ()) -> None:
        self._numeric = host in EVERYWHERE
        own = socket.gethostname().lower()
        machine = {own, f"{own}.local"} if self._numeric else set()
        self._names = {host.lower(), *LOCAL, *machine, *(name.lower() for name in names)}

    def allow(self, header: str) -> bool:
        """Whether a Host header names this server."""
        name = _name(header)
        return name in self._names or (self._numeric and _is_address(name))


def is_local(host: str) -> bool:
    """Whether a server that listens on this host can be reached from this machine alone."""
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def reachable(host: str) -> str:
    """The name or address at which others reach a server that listens on this host."""
    if host not in EVERYWHERE:
        return host
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_ELSEWHERE)
        return str(probe.getsockname()[0])
    return socket.gethostname()


def _name(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    with contextlib.suppress(ValueError):
        return bool(ipaddress.ip_address(name))
    return False
