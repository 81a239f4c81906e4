"""Who somebody is: guests, and the signed tokens by which they come back (RFC 7519, HS256 only)."""

import re
import secrets
from dataclasses import dataclass
from typing import Final

import jwt

from tenmatch.game.ids import PLAYER_ID_LENGTH, Millis, PlayerId, spell
from tenmatch.gateway.readable import clean_name
from tenmatch.protocol.limits import CloseCode, PeerError

ISSUER = "tenmatch"
ALGORITHM = "HS256"
TOKEN_DAYS = 180
SPELLING: Final = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)  # one way to write a token: no padding
ANIMALS = (
    "Badger", "Crane", "Dormouse", "Egret", "Ferret", "Gecko", "Heron", "Ibex", "Jackdaw", "Kestrel",
    "Lynx", "Marten", "Newt", "Otter", "Puffin", "Quail", "Robin", "Stoat", "Tern", "Vole", "Wren", "Yak",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """Who a connection belongs to."""

    id: PlayerId
    name: str


class Identity:
    """Makes guests, signs their tokens and reads them again."""

    def __init__(self, secret: bytes) -> None:
        """Use a *secret* of at least 32 bytes that every node shares."""
        self._secret = secret

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
            "exp": now // 1000 + TOKEN_DAYS * 86_400,
        }
        return jwt.encode(claims, self._secret, ALGORITHM)

    def read(self, token: str, now: Millis) -> Person:
        """Return whose token this is.

        Raises:
            PeerError: (4500) It is forged, expired or not for us. All cases are answered alike.
        """
        try:
            if not SPELLING.fullmatch(token):
                raise jwt.DecodeError
            claims = jwt.decode(
                token,
                self._secret,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                audience=ISSUER,
                # the store's clock judges the times, below: nodes' own clocks may be off
                options={"require": ["sub", "exp", "iat"], "verify_exp": False, "verify_iat": False},
            )
            if claims["exp"] * 1000 <= now:
                raise jwt.ExpiredSignatureError
            return Person(PlayerId(str(claims["sub"])), clean_name(str(claims.get("name", ""))) or "Guest")
        except (jwt.PyJWTError, TypeError, ValueError) as error:
            raise PeerError(CloseCode.BAD_TOKEN, "the token is not valid: say hello without one") from error
