"""Is this server fit to be the store? What is wrong with it, how bad that is, and what to do."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from tenmatch.store.connect import ErrorReply, Store

OLDEST_REDIS: Final = (7, 0)
OLDEST_VALKEY: Final = (7, 2)

Info: TypeAlias = Mapping[str, str]


class Severity(Enum):
    """How bad a finding is."""

    STOP = "stop"  # games would be lost, or could not be played at all
    WARN = "warn"  # a promise holds less far than it could


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the server that is not as it should be."""

    severity: Severity
    wrong: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.wrong}. {self.remedy}"


async def check(store: Store) -> list[Finding]:
    """Look at the server and return what is wrong with it, the worst first; nothing where it is fit.

    Raises:
        StoreDown: It could not be asked.
    """
    try:
        info = _parse(await store.call("INFO", "everything"))
    except ErrorReply as error:
        return [_cannot_see("INFO", error)]
    found = [finding for examine in _EXAMINED for finding in examine(info)]
    found += await _durability(store, info)
    return sorted(found, key=lambda finding: finding.severity is Severity.WARN)


def _parse(text: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in text.decode(errors="replace").splitlines())
    return {name: value for name, colon, value in lines if colon}


def _cannot_see(command: str, error: ErrorReply) -> Finding:
    return Finding(
        Severity.WARN,
        f"the store does not let us use {command} ({error}), so its settings were not checked",
        "Allow it, or make sure of maxmemory-policy noeviction and appendonly yes yourself",
    )


def _version(info: Info) -> Iterator[Finding]:
    name, oldest = ("valkey", OLDEST_VALKEY) if "valkey_version" in info else ("redis", OLDEST_REDIS)
    text = info.get(f"{name}_version", "0")
    version = tuple(int(part) for part in text.split(".")[:2] if part.isdigit())
    if version < oldest:
        yield Finding(
            Severity.STOP,
            f"the store is {name} {text}",
            "Use Redis 7.0 or Valkey 7.2, or later",
        )


def _role(info: Info) -> Iterator[Finding]:
    if info.get("role") != "master":
        yield Finding(
            Severity.STOP,
            f"the store is a {info.get('role', 'server of no known role')} and takes no writes",
            "Name its primary in the URL",
        )


def _mode(info: Info) -> Iterator[Finding]:
    if info.get("cluster_enabled") == "1":
        yield Finding(
            Severity.STOP,
            "the store is part of a cluster, which is not supported yet",
            "Use a standalone server",
        )


def _eviction(info: Info) -> Iterator[Finding]:
    policy = info.get("maxmemory_policy", "unknown")
    if policy != "noeviction":
        yield Finding(
            Severity.STOP,
            f"the store's maxmemory-policy is {policy}: it may throw away games when memory runs short",
            "Set maxmemory-policy noeviction",
        )


def _append_only(info: Info) -> Iterator[Finding]:
    if info.get("aof_enabled") != "1":
        yield Finding(
            Severity.STOP,
            "the store keeps no append-only file: when it restarts, moves or whole games are lost",
            "Set appendonly yes",
        )


_EXAMINED: Final[tuple[Callable[[Info], Iterator[Finding]], ...]] = (
    _version,
    _role,
    _mode,
    _eviction,
    _append_only,
)


async def _durability(store: Store, info: Info) -> list[Finding]:
    """Look at what INFO does not tell; managed servers often forbid CONFIG."""
    if info.get("aof_enabled") != "1":
        return []
    try:
        _, fsync = await store.call("CONFIG", "GET", "appendfsync")
    except ErrorReply as error:
        return [_cannot_see("CONFIG", error)]
    if fsync != b"no":
        return []
    return [
        Finding(
            Severity.WARN,
            "the store's appendfsync is no: a power failure may cost far more than the last second",
            "Set appendfsync everysec",
        )
    ]
