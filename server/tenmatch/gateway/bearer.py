"""Who a connection belongs to: nobody before `hello`, then one player until what proves that expires."""

import asyncio
from collections.abc import Callable

from tenmatch.gateway.identity import Identity, Person, Proof
from tenmatch.protocol.from_client import Hello
from tenmatch.protocol.limits import HELLO_S, CloseCode
from tenmatch.store.clock import StoreClock

LOOK_S = 86_400.0  # between two looks at a proof: timers of half a year, and clocks, drift apart


class Bearer:
    """One connection's player, and the proof that it is theirs."""

    def __init__(
        self, identity: Identity, clock: StoreClock, *, end: Callable[[CloseCode, str], None]
    ) -> None:
        """Be nobody, and *end* the connection if that lasts."""
        self._identity = identity
        self._clock = clock
        self._end = end
        self.proof: Proof | None = None
        self._loop = asyncio.get_running_loop()
        self._wake = self._loop.call_later(HELLO_S, self._no_hello)  # and, later on, for the proof's end

    @property
    def person(self) -> Person | None:
        """Who it is, if that is known."""
        return None if self.proof is None else self.proof.person

    def sign(self) -> str:
        """Return the token with which the player can come back: a fresh one, where it is of ours."""
        assert self.proof is not None
        return self.proof.token or self._identity.sign(self.proof.person, self._clock.now())

    def read(self, hello: Hello) -> Proof | None:
        """Return what a `hello` proves; None where another issuer has to be asked. Raises PeerError."""
        if hello.token is not None and self._identity.is_others(hello.token):
            return None
        if hello.token is None and self.proof is not None:
            return self._identity.rename(self.proof, hello.name, self._clock.now())
        return self._identity.greet(hello.token, hello.name, self._clock.now())

    async def ask(self, hello: Hello) -> Proof:
        """Return whose token of another issuer's that is. Raises PeerError or KeysUnavailable."""
        assert hello.token is not None
        return await self._identity.ask(hello.token, hello.name, self._clock.now())

    def become(self, proof: Proof) -> None:
        """Be who that is from now on, until the proof expires."""
        self.proof = proof
        self._wake.cancel()
        self._expire()

    def close(self) -> None:
        """Watch over nothing any more."""
        self._wake.cancel()

    def _expire(self) -> None:
        """End the connection when what proved its player's identity is no longer good."""
        assert self.proof is not None
        left = (self.proof.until - self._clock.now()) / 1000
        if left <= 0:
            self._end(CloseCode.BAD_TOKEN, "the token has expired: get a new one")
        else:
            self._wake = self._loop.call_later(min(left, LOOK_S), self._expire)

    def _no_hello(self) -> None:
        self._end(CloseCode.NO_HELLO, f"no hello within {HELLO_S} s")
