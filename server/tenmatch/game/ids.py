"""The names and numbers by which rooms, players, seats and moments are known."""

from typing import NewType

RoomId = NewType("RoomId", str)  # 10 characters
Day = NewType("Day", str)
"""A day (UTC), as `2026-12-01`."""

TournamentId = NewType("TournamentId", RoomId)  # 11 characters; its log lies beside those of rooms
RoomCode = NewType("RoomCode", str)  # 6 characters, to be read aloud
PlayerId = NewType("PlayerId", str)  # 12 characters
SeatNumber = NewType("SeatNumber", int)  # from 0
Seq = NewType("Seq", int)  # of an event in its room, from 1; 0 is before the first
MoveNumber = NewType("MoveNumber", int)  # a player's own count of moves in a room, from 1
Millis = NewType("Millis", int)  # since the epoch, by the store's clock

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""What ids and codes are spelt with: 31 letters and digits that cannot be taken for one another."""

ROOM_ID_LENGTH = 10
TOURNAMENT_ID_LENGTH = 11  # not a room's: by it the two are told apart
ROOM_CODE_LENGTH = 6
PLAYER_ID_LENGTH = 12


def spell(entropy: bytes, length: int) -> str:
    """Spell *entropy* with LETTERS and return the last *length* of them, each as likely as any other.

    Args:
        entropy: At least 16 bytes, so that no letter is noticeably favoured.
    """
    number = int.from_bytes(entropy, "big")
    letters = []
    for _ in range(length):
        number, digit = divmod(number, len(LETTERS))
        letters.append(LETTERS[digit])
    return "".join(letters)
