"""Which servers are primaries at the moment, and of which slots: as a URL, sentinels or a cluster say.

A server alone is a cluster of one that never changes. Sentinels name one primary for all slots: what most of
them say counts, if that server says so of itself. Of a cluster a few members are asked, and one is believed
that sees most of the others.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

from redis.crc import REDIS_CLUSTER_HASH_SLOTS

from tenmatch.store.address import Address, Kind, Server
from tenmatch.store.link import Link, Reply, StoreDown, pack

SLOTS: Final = REDIS_CLUSTER_HASH_SLOTS
ANSWER: Final = 0.5  # seconds for a sentinel or a member to answer, connecting included
ASKED_AT_ONCE: Final = 3  # members of a cluster

Primaries: TypeAlias = Mapping[Server, Sequence[range]]


class Source(Protocol):
    """Whoever knows."""

    async def find(self) -> Primaries:
        """Return each primary with the slots that it serves. Raises StoreDown."""

    def close(self) -> None:
        """Close connections that were kept for asking."""


def source(address: Address) -> Source:
    """Return whom to ask for the primaries of a store."""
    return _SOURCES[address.kind](address)


class Standalone:
    """The one server that the URL names."""

    def __init__(self, address: Address) -> None:
        [server] = address.servers
        self._primaries = {server: [range(SLOTS)]}

    async def find(self) -> Primaries:
        """Return the server."""
        return self._primaries

    def close(self) -> None:
        """Nothing was kept."""


class Answer(NamedTuple):
    """What a server said to a few questions."""

    server: Server
    replies: list[Reply]  # one for each question; an error where there is none


class _Asking:
    """Links kept for questions, one to each server that was ever asked."""

    def __init__(self) -> None:
        self._links: dict[Server, Link] = {}

    async def ask(
        self,
        servers: Collection[Server],
        questions: Sequence[bytes],
        enough: Callable[[Sequence[Answer]], bool] = lambda heard: False,
    ) -> list[Answer]:
        """Ask all at once; return what they say in time, or no more of it than is enough."""
        asked = [asyncio.create_task(self._answer(server, questions)) for server in servers]
        heard: list[Answer] = []
        try:
            for answering in asyncio.as_completed(asked):
                heard.append(await answering)
                if enough(heard):
                    break
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        return heard

    async def _answer(self, server: Server, questions: Sequence[bytes]) -> Answer:
        link = self._links.setdefault(server, Link(server, ANSWER))
        try:
            return Answer(server, await link.exchange(questions))
        except StoreDown as error:
            return Answer(server, [error] * len(questions))

    def close(self) -> None:
        """Close the links."""
        for link in self._links.values():
            link.abort()


class Sentinels(_Asking):
    """Sentinels, and the service whose primary they name."""

    def __init__(self, address: Address) -> None:
        super().__init__()
        self._address = address
        self._question = pack("SENTINEL", "GET-MASTER-ADDR-BY-NAME", address.service)

    async def find(self) -> Primaries:
        """Return the primary that most sentinels name, once it says itself that it is one."""
        heard = await self.ask(self._address.servers, [self._question], self._is_majority)
        if not (votes := _votes(heard)):
            raise StoreDown(f"no sentinel names a primary of {self._address}{_quoted(heard, 0)}")
        [((host, port), _)] = votes.most_common(1)
        server = self._address.at(host, port)
        [(_, [role])] = await self.ask([server], [pack("ROLE")])
        if isinstance(role, StoreDown) or role[0] != b"master":
            raise StoreDown(f"{server}: the sentinels name it as the primary, but it says {role}")
        return {server: [range(SLOTS)]}

    def _is_majority(self, heard: Sequence[Answer]) -> bool:
        return max(_votes(heard).values(), default=0) * 2 > len(self._address.servers)


def _votes(heard: Iterable[Answer]) -> Counter[tuple[str, int]]:
    named = (answer.replies[0] for answer in heard)
    return Counter((name[0].decode(), int(name[1])) for name in named if isinstance(name, list))


class Cluster(_Asking):
    """A cluster, as its members see it."""

    def __init__(self, address: Address) -> None:
        super().__init__()
        self._address = address
        self._members = set(address.servers)

    async def find(self) -> Primaries:
        """Return the primaries as a member sees them, one that is not cut off if there is one."""
        some = random.sample(list(self._members), min(len(self._members), ASKED_AT_ONCE))
        heard = await self.ask(some, [pack("CLUSTER", "INFO"), pack("CLUSTER", "SLOTS")], _is_whole)
        told = [answer for answer in heard if _tells(answer)]
        if not told:
            raise StoreDown(
                f"no member of the cluster {self._address} tells who serves what{_quoted(heard, 1)}"
            )
        return self._read(*told[-1])

    def _read(self, teller: Server, replies: list[Reply]) -> Primaries:
        primaries: dict[Server, list[range]] = {}
        members = set(self._address.servers)
        for first, last, *nodes in replies[1]:
            primary, *replicas = [self._member(teller, *node[:2]) for node in nodes]
            primaries.setdefault(primary, []).append(range(first, last + 1))
            members.update([primary, *replicas])
        self._members = members
        return primaries

    def _member(self, teller: Server, host: bytes | None, port: int) -> Server:
        """Return a member; one that is told of without a host is at the host of the teller."""
        return self._address.at(host.decode() if host else str(teller.where[0]), port)


def _is_whole(heard: Sequence[Answer]) -> bool:
    """Tell whether the latest to answer knows who serves what, and is in touch with most of the cluster."""
    info, _ = heard[-1].replies
    return _tells(heard[-1]) and isinstance(info, bytes) and b"cluster_state:ok" in info


def _tells(answer: Answer) -> bool:
    """Tell whether a member knows of any slot; one without is an error reply, or a member of nothing."""
    return isinstance(answer.replies[1], list) and bool(answer.replies[1])


def _quoted(heard: Iterable[Answer], question: int) -> str:
    return "".join(f"; {answer.server}: {answer.replies[question]}" for answer in heard)


_SOURCES: Final[Mapping[Kind, Callable[[Address], Source]]] = {
    Kind.STANDALONE: Standalone,
    Kind.SENTINELS: Sentinels,
    Kind.CLUSTER: Cluster,
}
