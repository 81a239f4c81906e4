"""Is this store fit? What is wrong with its servers, how bad that is, and what to do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, TypeAlias

from tenmatch.store.address import Kind
from tenmatch.store.connect import ErrorReply, Store
from tenmatch.store.durability import Durability
from tenmatch.store.shard import Shard

OLDEST_REDIS: Final = (7, 0)
OLDEST_VALKEY: Final = (7, 2)
OLDEST_WITH_WAITAOF: Final = (7, 2)  # of both

CLOCKS_APART: Final = 0.1  # seconds; an append that claims to come from 0.25 s ahead is refused

ASKED_FOR: Final = ("appendfsync", "min-replicas-to-write", "cluster-require-full-coverage")


class Severity(Enum):
    """How bad a finding is."""

    STOP = "stop"  # games would be lost, or could not be played at all
    WARN = "warn"  # a promise holds less far than it could


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a server that is not as it should be."""

    severity: Severity
    wrong: str
    remedy: str
    server: str = ""  # where there are several

    def __str__(self) -> str:
        where = f"{self.server}: " if self.server else ""
        return f"{where}{self.wrong}. {self.remedy}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a primary, and what it is wanted for."""

    info: Mapping[str, str]  # what INFO tells
    config: Mapping[str, str]  # of ASKED_FOR what CONFIG GET tells; managed servers often forbid it
    kind: Kind
    durability: Durability

    @property
    def replicas(self) -> int:
        """Return how many replicas are connected."""
        return int(self.info.get("connected_slaves", "0"))

    @property
    def version(self) -> tuple[str, str, tuple[int, ...]]:
        """Return the server's name, and its version as text and as major and minor number."""
        name = "valkey" if "valkey_version" in self.info else "redis"
        text = self.info.get(f"{name}_version", "0")
        return name, text, tuple(int(part) for part in text.split(".")[:2] if part.isdigit())


Examiner: TypeAlias = Callable[[Seen], Iterator[Finding]]


async def check(store: Store, durability: Durability = Durability.FAST) -> list[Finding]:
    """Look at every primary and return what is wrong, the worst first; nothing where all are fit.

    Raises:
        StoreDown: One could not be asked.
    """
    await store.survey()
    shards = store.shards
    found: list[Finding] = []
    for shard in shards:
        findings = await _check(shard, store.address.kind, durability)
        found += findings if len(shards) == 1 else [replace(each, server=str(shard)) for each in findings]
    found += await _clocks(store.clock.monotonic, shards)
    return sorted(found, key=lambda finding: finding.severity is Severity.WARN)


async def _check(shard: Shard, kind: Kind, durability: Durability) -> list[Finding]:
    await shard.call("PING")  # INFO answers even while the server still loads its data
    try:
        info = _parse(await shard.call("INFO", "everything"))
    except ErrorReply as error:
        return [_cannot_see("INFO", error)]
    found: list[Finding] = []
    config: dict[str, str] = {}
    try:
        said = [text.decode() for text in await shard.call("CONFIG", "GET", *ASKED_FOR)]
        config = dict(zip(said[::2], said[1::2], strict=True))
    except ErrorReply as error:
        found.append(_cannot_see("CONFIG", error))
    seen = Seen(info, config, kind, durability)
    return [*(finding for examine in _EXAMINERS for finding in examine(seen)), *found]


async def _clocks(monotonic: Callable[[], float], shards: Sequence[Shard]) -> list[Finding]:
    """Compare the shards' clocks: a node reckons with one time for all of them."""
    offsets = []
    for shard in shards:
        sent = monotonic()
        seconds, micros = await shard.call("TIME")
        offsets.append(int(seconds) + int(micros) / 1e6 - (sent + monotonic()) / 2)
    if (apart := max(offsets) - min(offsets)) < CLOCKS_APART:
        return []
    return [
        Finding(
            Severity.WARN,
            f"the clocks of the store's servers are {apart * 1000:.0f} ms apart: moves may be judged late",
            "Keep them right, by NTP",
        )
    ]


def _parse(text: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in text.decode(errors="replace").splitlines())
    return {name: value for name, colon, value in lines if colon}


def _cannot_see(command: str, error: ErrorReply) -> Finding:
    return Finding(
        Severity.WARN,
        f"the store does not let us use {command} ({error}), so its settings were not checked",
        "Allow it, or make sure of maxmemory-policy noeviction and appendonly yes yourself",
    )


def _version(seen: Seen) -> Iterator[Finding]:
    name, text, version = seen.version
    if version < (OLDEST_VALKEY if name == "valkey" else OLDEST_REDIS):
        yield Finding(
            Severity.STOP,
            f"the store is {name} {text}",
            "Use Redis 7.0 or Valkey 7.2, or later",
        )


def _role(seen: Seen) -> Iterator[Finding]:
    if (role := seen.info.get("role")) != "master":
        yield Finding(
            Severity.STOP,
            f"the store is a {role or 'server of no known role'} and takes no writes",
            "Name its primary in the URL, or its sentinels",
        )


def _mode(seen: Seen) -> Iterator[Finding]:
    if seen.info.get("cluster_enabled") == "1" and seen.kind is not Kind.CLUSTER:
        yield Finding(
            Severity.STOP,
            "the store is part of a cluster, and this server alone has only some of it",
            "Name the cluster in the URL: redis+cluster://host:port,host:port",
        )
    if seen.config.get("cluster-require-full-coverage") == "yes" and seen.kind is Kind.CLUSTER:
        yield Finding(
            Severity.WARN,
            "the whole cluster stops whenever one of its shards does",
            "Set cluster-require-full-coverage no",
        )


def _eviction(seen: Seen) -> Iterator[Finding]:
    policy = seen.info.get("maxmemory_policy", "unknown")
    if policy != "noeviction":
        yield Finding(
            Severity.STOP,
            f"the store's maxmemory-policy is {policy}: it may throw away games when memory runs short",
            "Set maxmemory-policy noeviction",
        )


def _append_only(seen: Seen) -> Iterator[Finding]:
    if seen.info.get("aof_enabled") != "1":
        yield Finding(
            Severity.STOP,
            "the store keeps no append-only file: when it restarts, moves or whole games are lost",
            "Set appendonly yes",
        )
    elif seen.config.get("appendfsync") == "no":
        yield Finding(
            Severity.WARN,
            "the store's appendfsync is no: a power failure may cost far more than the last second",
            "Set appendfsync everysec",
        )


def _fsync(seen: Seen) -> Iterator[Finding]:
    if seen.durability is not Durability.FSYNC:
        return
    name, text, version = seen.version
    if version < OLDEST_WITH_WAITAOF:
        yield Finding(
            Severity.STOP,
            f"the store is {name} {text} and cannot tell when a move is on its disk",
            "Use Redis 7.2 or Valkey 7.2, or later, or durability fast with appendfsync always",
        )
    elif seen.config.get("appendfsync", "always") != "always":
        # From Redis 7.4 on (corrected in 8.0), and in Valkey, WAITAOF does not wait then.
        yield Finding(
            Severity.STOP,
            f"the store's appendfsync is {seen.config['appendfsync']}: it confirms moves that its disk lacks",
            "Set appendfsync always",
        )


def _replicas(seen: Seen) -> Iterator[Finding]:
    least = int(seen.config.get("min-replicas-to-write", "0"))
    if seen.replicas < least:
        yield Finding(
            Severity.STOP,
            f"the store takes writes with {least} replicas only, and has {seen.replicas}",
            "Connect more, or set min-replicas-to-write lower",
        )
    if seen.durability is Durability.REPLICATED:
        if seen.replicas == 0:
            yield Finding(
                Severity.STOP,
                "the store has no replica to confirm a move, as durability replicated asks",
                "Connect two, or set durability fast",
            )
        elif seen.replicas == 1:
            yield Finding(
                Severity.WARN,
                "the store has one replica: whenever that is away, no moves can be made",
                "Connect two",
            )
    elif seen.replicas and not least and "min-replicas-to-write" in seen.config:
        yield Finding(
            Severity.WARN,
            "the store takes writes also when it is cut off from its replicas: a failover would lose them",
            "Set min-replicas-to-write 1 and min-replicas-max-lag 3, or durability replicated",
        )


_EXAMINERS: Final[tuple[Examiner, ...]] = (
    _version,
    _role,
    _mode,
    _eviction,
    _append_only,
    _fsync,
    _replicas,
)
