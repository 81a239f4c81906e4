"""A URL: which servers it names, what they are to us, and how to log in.

    redis://[user:password@]host[:port][/db]                     one server; rediss:// for TLS
    unix:///path/to/socket[?db=N]                                one server on this machine
    redis+sentinel://[user:password@]host[:port],…/SERVICE       the primary that sentinels name (26379)
    redis+cluster://[user:password@]host[:port],…                a cluster, of which some members are named

The last two have a twin with `rediss+…`, by which TLS is spoken to all. User and password are those of the
servers that hold the games; sentinels that ask for some get `?sentinel_username=` and `?sentinel_password=`.
"""

import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final
from urllib.parse import urlsplit

from redis.asyncio.connection import (
    AbstractConnection,
    Connection,
    RedisSSLContext,
    SSLConnection,
    UnixDomainSocketConnection,
    parse_url,
)
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

CONNECT_TIMEOUT: Final = 1.0  # seconds
# The second line behind our own watchdogs: data unacknowledged for 5 s ends the connection. Linux only.
USER_TIMEOUT: Final = {socket.TCP_USER_TIMEOUT: 5_000} if hasattr(socket, "TCP_USER_TIMEOUT") else {}

URL_OPTIONS: Final = frozenset({"db", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname"})
DRIVERS_OWN: Final = frozenset({"connection_class", "username", "password"})
SENTINELS_LOGIN: Final = frozenset({"sentinel_username", "sentinel_password"})

_URL: Final = re.compile(
    r"(?P<scheme>[^:/?#]*)://(?P<login>[^@/?#]*@)?(?P<hosts>[^/?#]*)(?P<path>/[^?#]*)?(?P<query>\?.*)?"
)


class BadStoreUrl(ValueError):
    """A URL does not name a store that can be used; says what would. Never quotes a password."""


class Kind(Enum):
    """What the servers named in a URL are."""

    STANDALONE = ""
    SENTINELS = "sentinel"
    CLUSTER = "cluster"


SCHEMES: Final[Mapping[str, tuple[str, Kind]]] = {
    "redis": ("redis", Kind.STANDALONE),
    "rediss": ("rediss", Kind.STANDALONE),
    "unix": ("unix", Kind.STANDALONE),
    "redis+sentinel": ("redis", Kind.SENTINELS),
    "rediss+sentinel": ("rediss", Kind.SENTINELS),
    "redis+cluster": ("redis", Kind.CLUSTER),
    "rediss+cluster": ("rediss", Kind.CLUSTER),
}


@dataclass(frozen=True, slots=True)
class Login:
    """How to log in to a server, wherever it is."""

    options: Mapping[str, Any] = field(repr=False)  # the driver's; may hold a password
    tls: RedisSSLContext | None  # for all connections: reading certificates takes longer than connecting


@dataclass(frozen=True, slots=True)
class Server:
    """One server. It is also the place where it is: whoever asks for it anew finds it there."""

    where: tuple[str, int] | str  # host and port, or the path of a socket
    login: Login = field(compare=False, repr=False)

    def __str__(self) -> str:
        """Name the server without what is secret."""
        if isinstance(self.where, str):
            return self.where
        host, port = self.where
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @property
    def server(self) -> "Server":
        """Return the server that is here."""
        return self

    async def locate(self) -> "Server":
        """Return the server that is here."""
        return self

    def connection(self) -> AbstractConnection:
        """Make a connection that is not yet open; whoever made it closes it."""
        options = dict(self.login.options)
        kind: type[AbstractConnection] = options.pop("connection_class", Connection)
        if isinstance(self.where, str):
            options["path"] = self.where
        else:
            options["host"], options["port"] = self.where
            options["socket_keepalive_options"] = USER_TIMEOUT
        connection = kind(
            **options,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=None,
            socket_connect_timeout=CONNECT_TIMEOUT,
            driver_info=None,
        )
        if isinstance(connection, SSLConnection):
            assert self.login.tls is not None
            connection.ssl_context = self.login.tls
        return connection


@dataclass(frozen=True, slots=True)
class Address:
    """Where the store is and how to log in there, from a URL as the module describes them.

    Raises:
        BadStoreUrl: It is none of these.
    """

    url: str = field(repr=False)  # may hold a password
    kind: Kind = field(init=False)
    servers: tuple[Server, ...] = field(init=False)  # those that the URL names
    service: str = field(init=False)  # what sentinels call the primary, else empty
    _login: Login = field(init=False, repr=False)

    def __post_init__(self) -> None:
        parts = _parts(self.url)
        transport, kind = SCHEMES[parts["scheme"]]
        alone = kind is Kind.STANDALONE
        rest = parts["path"] + parts["query"] if alone else parts["query"]
        options = [
            _options(parts["scheme"], f"{transport}://{parts['login']}{host}{rest}")
            for host in ([parts["hosts"]] if alone else parts["hosts"].split(","))
        ]
        service = "" if alone else parts["path"].removeprefix("/")
        _refuse_nonsense(kind, service, options)
        login = named = Login(_login(options[0]), _tls(options[0]))
        if kind is Kind.SENTINELS:
            named = Login(_sentinels_login(options[0]), login.tls)
        read = {
            "kind": kind,
            "servers": tuple(Server(_where(each, kind), named) for each in options),
            "service": service,
            "_login": login,
        }
        for name, value in read.items():
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        """Name the servers without what is secret."""
        named = ",".join(map(str, self.servers))
        return f"{named}/{self.service}" if self.service else named

    def at(self, host: str, port: int) -> Server:
        """Return a server that we were told of; the login is that of the URL."""
        return Server((host, port), self._login)


def _parts(url: str) -> dict[str, str]:
    parts = _URL.fullmatch(url)
    if parts is None or parts["scheme"] not in SCHEMES:
        known = ", ".join(f"{name}://" for name in SCHEMES)
        scheme = urlsplit(url).scheme
        raise BadStoreUrl(f"the store's URL begins with {scheme!r}, which is not known: use one of {known}")
    return {name: part or "" for name, part in parts.groupdict().items()}


def _options(scheme: str, url: str) -> dict[str, Any]:
    """Let the driver read the URL of one server."""
    try:
        return dict(parse_url(url))
    except ValueError:  # whose text may quote a piece of the password
        raise BadStoreUrl(
            f"the store's URL is not of the form {scheme}://… : is the port a number?"
        ) from None


def _refuse_nonsense(kind: Kind, service: str, options: Sequence[Mapping[str, Any]]) -> None:
    known = URL_OPTIONS | DRIVERS_OWN | {"host", "port", "path"}
    if kind is Kind.SENTINELS:
        known |= SENTINELS_LOGIN
    if unknown := options[0].keys() - known:
        raise BadStoreUrl(f"the store's URL has unknown options: {', '.join(sorted(unknown))}")
    if options[0].get("connection_class") is UnixDomainSocketConnection and not options[0].get("path"):
        raise BadStoreUrl("the store's URL names no socket: use unix:///path/to/socket")
    if kind is Kind.STANDALONE and "," in options[0].get("host", ""):
        raise BadStoreUrl("the store's URL names several servers: use redis+sentinel:// or redis+cluster://")
    if kind is not Kind.STANDALONE and not all(each.get("host") for each in options):
        raise BadStoreUrl("the store's URL lacks a host: use host:port,host:port")
    if kind is Kind.SENTINELS and not re.fullmatch(r"[\w.-]+", service):
        raise BadStoreUrl("the store's URL does not say what the sentinels call the primary: …/SERVICE")
    if kind is Kind.CLUSTER and (service or "db" in options[0]):
        raise BadStoreUrl("a cluster has one database and no name: leave them out of the store's URL")


def _login(options: Mapping[str, Any]) -> dict[str, Any]:
    left_out = {"host", "port", "path", *SENTINELS_LOGIN}
    return {name: value for name, value in options.items() if name not in left_out}


def _sentinels_login(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how to log in to the sentinels themselves: TLS as with the others, but a user of their own."""
    tls = {name: value for name, value in options.items() if name.startswith(("ssl_", "connection_class"))}
    own = {
        name.removeprefix("sentinel_"): value for name, value in options.items() if name in SENTINELS_LOGIN
    }
    return tls | own


def _tls(options: Mapping[str, Any]) -> RedisSSLContext | None:
    """Read the certificates that the URL names, and those of the machine."""
    if options.get("connection_class") is not SSLConnection:
        return None
    given = {name: value for name, value in options.items() if name.startswith("ssl_")}
    tls = SSLConnection(**given).ssl_context
    try:
        tls.get()
    except OSError as error:  # ssl.SSLError, too
        raise BadStoreUrl(f"the certificates that the store's URL names cannot be read: {error}") from error
    return tls


def _where(options: Mapping[str, Any], kind: Kind) -> tuple[str, int] | str:
    if options.get("connection_class") is UnixDomainSocketConnection:
        return str(options["path"])
    port = 26379 if kind is Kind.SENTINELS else 6379
    return options.get("host", "localhost"), options.get("port", port)
