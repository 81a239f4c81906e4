"""Players whom somebody else knows: tokens of an issuer of yours, beside our guests' or instead of them."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol

import jwt

from tenmatch.game.ids import PLAYER_ID_LENGTH, Millis, PlayerId, spell
from tenmatch.gateway.identity import Person, Proof
from tenmatch.gateway.readable import clean_name
from tenmatch.gateway.tokens import BadToken, Seal, header, verify

SECRET_ALGORITHM: Final = "HS256"
NAMELESS: Final = "Player"


class Keys(Protocol):
    """Where the key is that a token must have been signed with."""

    async def find(self, key_id: str) -> jwt.PyJWK | None:
        """Return it, None where there is none of that id. Raises KeysUnavailable."""


class SharedSecret:
    """The one key of an issuer that shares a secret with us, whatever its id."""

    def __init__(self, secret: bytes) -> None:
        """Use a *secret* of at least 32 bytes."""
        octets = jwt.utils.base64url_encode(secret).decode()
        self._key = jwt.PyJWK({"kty": "oct", "k": octets}, SECRET_ALGORITHM)

    async def find(self, key_id: str) -> jwt.PyJWK:
        """Return the key."""
        return self._key


@dataclass(frozen=True, slots=True)
class Issuer:
    """Somebody whose word we take for who a player is."""

    name: str  # as its tokens have it in `iss`
    audience: str  # what they have in `aud` when they are for us
    keys: Keys

    async def read(self, token: str, asked: str | None, now: Millis) -> Proof:
        """Return whose token this is.

        Args:
            asked: The name that a player without one goes by.

        Raises:
            BadToken: It is no good.
            KeysUnavailable: That cannot be known at the moment.
        """
        key = await self.keys.find(header(token).key_id)
        if key is None:
            raise BadToken
        claims = verify(token, key, Seal(str(key.algorithm_name), self.name, self.audience), now)
        name = clean_name(claims.name) or clean_name(asked) or NAMELESS
        return Proof(Person(self.player(claims.subject), name), claims.until, token)

    def player(self, subject: str) -> PlayerId:
        """Return the player id of somebody whom this issuer calls *subject*."""
        return PlayerId(spell(sha256(f"{self.name}\n{subject}".encode()).digest(), PLAYER_ID_LENGTH))
