"""A token and what makes it good (RFC 7519): signed with a certain key and algorithm, for us, now."""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

import jwt

from tenmatch.game.ids import Millis

SPELLING: Final = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)  # one way to write a token: no padding


class BadToken(Exception):
    """A token is forged, cut, expired, not good yet or not for us. Which of it, its sender is not told."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What a good token says."""

    subject: str
    name: str  # perhaps none
    until: Millis


@dataclass(frozen=True, slots=True)
class Seal:
    """What a token must carry: the one algorithm its key is for, who made it, and for whom."""

    algorithm: str
    issuer: str
    audience: str
    claims: tuple[str, ...] = ("sub", "exp")


def verify(token: str, key: jwt.PyJWK | bytes, seal: Seal, now: Millis) -> Claims:
    """Return what a token says.

    Args:
        now: By the store's clock: nodes' own clocks may be off.

    Raises:
        BadToken: It is none, or no good.
    """
    try:
        if not SPELLING.fullmatch(token):
            raise BadToken
        claims = jwt.decode(
            token,
            key,
            algorithms=[seal.algorithm],
            issuer=seal.issuer,
            audience=seal.audience,
            options={
                "require": list(seal.claims),
                "verify_exp": False,  # these three by the store's clock, or not at all
                "verify_nbf": False,
                "verify_iat": False,
            },
        )
        until, since = _moment(claims["exp"]), _moment(claims.get("nbf", 0))
        if not since <= now < until:
            raise BadToken
        name = claims.get("name")
        return Claims(claims["sub"], name if isinstance(name, str) else "", until)
    except (jwt.PyJWTError, ValueError) as error:
        raise BadToken from error


class Header(NamedTuple):
    """What a token claims of itself."""

    issuer: str
    key_id: str


def header(token: str) -> Header:
    """Return what a token claims of itself; it says where to look, and proves nothing.

    Raises:
        BadToken: It is none.
    """
    try:
        if not SPELLING.fullmatch(token):
            raise BadToken
        whole = jwt.decode_complete(token, options={"verify_signature": False})
    except (jwt.PyJWTError, ValueError) as error:
        raise BadToken from error
    said = (whole["payload"].get("iss"), whole["header"].get("kid"))
    return Header(*(value if isinstance(value, str) else "" for value in said))


def _moment(seconds: object) -> Millis:
    """Read a NumericDate (RFC 7519, section 2). Raises ValueError."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not abs(seconds) < 1e15:
        raise ValueError("no moment")
    return Millis(int(seconds * 1000))
