"""Whose address counts: the client's own, of which behind a proxy only the proxy knows (RFC 7239).

Anybody can write a header. It is believed as far as it was written by proxies that we were told to trust:
from the right, each hop names the one before it, up to the first that is not ours.
"""

import ipaddress
from collections.abc import Iterator, Sequence
from typing import Final

from websockets.datastructures import Headers

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address

HOPS: Final = 20  # of a header that are looked at; no chain of proxies is longer
SITE_BITS: Final = 64  # of an IPv6 address are one customer's; the rest of it costs nothing to change
LOCAL: Final = "local"


class Proxies:
    """The proxies whose word is taken for where a client comes from."""

    def __init__(self, trusted: Sequence[str] = (), header: str = "X-Forwarded-For") -> None:
        """Trust addresses and networks.

        Args:
            header: `X-Forwarded-For` or `Forwarded`. Only one is read: a proxy that writes the one passes on
                whatever its client wrote into the other.
        """
        self._trusted = tuple(ipaddress.ip_network(network) for network in trusted)
        self._header = header
        self._hops = _forwarded if header.lower() == "forwarded" else _listed

    def trusts(self, address: str) -> bool:
        """Tell whether an address is a proxy's."""
        ip = _read(address)
        return ip is not None and any(ip in network for network in self._trusted)

    def client(self, peer: str, headers: Headers) -> str:
        """Return whose request this is, as far as it can be believed.

        Args:
            peer: The other end of the TCP connection.
        """
        address = peer
        hops = self._hops(headers.get_all(self._header)) if self._trusted else iter(())
        for _ in range(HOPS):
            if not self.trusts(address):
                break
            before = _read(next(hops, ""))
            if before is None:  # hidden, unknown or nonsense: then the proxy itself is all we know
                break
            address = str(before)
        return address


def canonical(peername: object) -> str:
    """Return the address of a socket's other end in the one way in which we write it."""
    if not isinstance(peername, tuple):
        return LOCAL
    ip = _read(str(peername[0]))
    return LOCAL if ip is None else str(ip)


def site(address: str) -> str:
    """Return what an address counts under: itself, or of IPv6 its network."""
    ip = _read(address)
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((ip, SITE_BITS), strict=False))
    return address


def _read(text: str) -> Ip | None:
    """Read an address as sockets and headers have it: perhaps with a port, in brackets, with a zone."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        ip = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return mapped or ip


def _listed(lines: Sequence[str]) -> Iterator[str]:
    """Yield what X-Forwarded-For lists, the latest hop first."""
    for line in reversed(lines):
        yield from reversed(line.split(","))


def _forwarded(lines: Sequence[str]) -> Iterator[str]:
    """Yield the `for` of each element of Forwarded, the latest hop first; "" for an element without one."""
    for element in _listed(lines):
        pairs = (pair.partition("=") for pair in element.split(";"))
        named = [value.strip().strip('"') for name, _, value in pairs if name.strip().lower() == "for"]
        yield named[0] if len(named) == 1 else ""
