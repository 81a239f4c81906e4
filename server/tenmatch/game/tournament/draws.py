"""What the tournament's seed decides, the same for everybody who reckons it: seats, lots, the names of rooms.

The seed is committed to when the tournament is announced and revealed at its end. The names of rooms follow
from the salt: so every node knows them, and nobody can take one before.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from tenmatch.game.ids import ROOM_ID_LENGTH, PlayerId, RoomId, spell
from tenmatch.game.tournament.events import GameNumber
from tenmatch.game.tournament.state import Tournament

_ROOM: Final = b"tournament"  # sets these hashes apart from those that chain the log
_SEATS: Final = b"seats"
_LOT: Final = b"lot"


def room_of(tournament: Tournament, game: GameNumber) -> RoomId:
    """Return the id of the room in which a game is played."""
    return RoomId(spell(_hash(_ROOM, tournament.salt, game), ROOM_ID_LENGTH))


def drawn_first(tournament: Tournament, game: GameNumber, players: Sequence[PlayerId]) -> PlayerId:
    """Draw who of two sits on the first seat."""
    return players[_hash(_SEATS, tournament.seed, game)[0] % 2]


def drawn_winner(tournament: Tournament, game: GameNumber, players: Sequence[PlayerId]) -> PlayerId:
    """Draw the winner of a game that was drawn, in the order of ids, so that seats play no part."""
    return sorted(players)[_hash(_LOT, tournament.seed, game)[0] % 2]


def _hash(purpose: bytes, secret: str, game: GameNumber) -> bytes:
    return sha256(purpose + bytes.fromhex(secret) + game.to_bytes(4, "big")).digest()
