"""Who somebody is: guests, and the signed tokens by which they come back (RFC 7519, HS256 only)."""

import secrets
from dataclasses import dataclass
from typing import Final, NoReturn, Protocol

import jwt

from tenmatch.game.ids import LETTERS, PLAYER_ID_LENGTH, Millis, PlayerId, spell
from tenmatch.gateway.readable import clean_name
from tenmatch.gateway.tokens import BadToken, Seal, header, verify
from tenmatch.protocol.limits import CloseCode, PeerError

ISSUER: Final = "tenmatch"
ALGORITHM: Final = "HS256"
TOKEN_DAYS: Final = 180
DAY_MS: Final = 86_400_000
OURS: Final = Seal(ALGORITHM, ISSUER, ISSUER, ("sub", "iat", "exp"))
ANIMALS = (
    "Badger", "Crane", "Dormouse", "Egret", "Ferret", "Gecko", "Heron", "Ibex", "Jackdaw", "Kestrel",
    "Lynx", "Marten", "Newt", "Otter", "Puffin", "Quail", "Robin", "Stoat", "Tern", "Vole", "Wren", "Yak",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """Who a connection belongs to."""

    id: PlayerId
    name: str


@dataclass(frozen=True, slots=True)
class Proof:
    """Who somebody is, and for how long that is proved."""

    person: Person
    until: Millis
    token: str | None = None  # what proved it, where that was not us


class Issuer(Protocol):
    """Who else vouches for players: `tenmatch.gateway.issuer.Issuer`."""

    @property
    def name(self) -> str:
        """As its tokens have it."""

    async def read(self, token: str, asked: str | None, now: Millis) -> Proof:
        """Return whose token this is. Raises BadToken, or KeysUnavailable."""


class Identity:
    """Makes guests, signs their tokens and reads them again; others' tokens it hands on."""

    def __init__(self, secret: bytes, issuer: Issuer | None = None, *, guests: bool = True) -> None:
        """Use a *secret* of at least 32 bytes that every node shares.

        Args:
            guests: Whether people may come as guests, and those who did may come back.
        """
        self._secret = secret
        self._issuer = issuer
        self._guests = guests

    def guest(self, name: str | None) -> Person:
        """Return someone new."""
        identifier = PlayerId(spell(secrets.token_bytes(32), PLAYER_ID_LENGTH))
        chosen = f"{secrets.choice(ANIMALS)} {secrets.randbelow(90) + 10}"
        return Person(identifier, clean_name(name) or chosen)

    def sign(self, person: Person, now: Millis) -> str:
        """Return a token with which *person* can come back."""
        claims = {
            "iss": ISSUER,
            "aud": ISSUER,
            "sub": person.id,
            "name": person.name,
            "iat": now // 1000,
            "exp": _good_until(now) // 1000,
        }
        return jwt.encode(claims, self._secret, ALGORITHM)

    def read(self, token: str, now: Millis) -> Person:
        """Return which guest's token this is.

        Raises:
            PeerError: (4500) It is forged, expired or not for us. All cases are answered alike.
        """
        try:
            claims = verify(token, self._secret, OURS, now)
        except BadToken as error:
            self._refuse(error)
        if len(claims.subject) != PLAYER_ID_LENGTH or not set(claims.subject) <= set(LETTERS):
            self._refuse(None)
        return Person(PlayerId(claims.subject), clean_name(claims.name) or "Guest")

    def greet(self, token: str | None, name: str | None, now: Millis) -> Proof:
        """Return who a guest is, new or back again; the token signed for it now is what counts from here on.

        Raises:
            PeerError: (4500) There are no guests here, or the token is no good.
        """
        if not self._guests:
            self._refuse(None)
        person = self.guest(name) if token is None else self.read(token, now)
        return Proof(Person(person.id, clean_name(name) or person.name), _good_until(now))

    def rename(self, proof: Proof, name: str | None, now: Millis) -> Proof:
        """Return a guest under another name, if it asks for one; others are called as their issuer says."""
        if proof.token is not None:
            return proof
        person = proof.person
        return Proof(Person(person.id, clean_name(name) or person.name), _good_until(now))

    def is_others(self, token: str) -> bool:
        """Tell whether a token says that it is the other issuer's, which `ask` has to find out about."""
        try:
            return self._issuer is not None and header(token).issuer == self._issuer.name
        except BadToken:
            return False

    async def ask(self, token: str, name: str | None, now: Millis) -> Proof:
        """Return whose token of the other issuer's this is.

        Raises:
            PeerError: (4500) As for tokens of ours.
            KeysUnavailable: That cannot be known at the moment.
        """
        assert self._issuer is not None, "a token is another's only where there is another issuer"
        try:
            return await self._issuer.read(token, name, now)
        except BadToken as error:
            self._refuse(error)

    def _refuse(self, error: BadToken | None) -> NoReturn:
        otherwise = "say hello without one" if self._guests else "log in again"
        raise PeerError(CloseCode.BAD_TOKEN, f"the token is not valid: {otherwise}") from error


def _good_until(now: Millis) -> Millis:
    return Millis(now + TOKEN_DAYS * DAY_MS)
