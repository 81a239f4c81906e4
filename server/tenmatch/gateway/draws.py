"""What is left to chance, drawn so that nobody can foresee it: names, deals, computer players."""

import secrets

from tenmatch.game.computer import name_for
from tenmatch.game.events import Level, Player
from tenmatch.game.ids import (
    PLAYER_ID_LENGTH,
    ROOM_ID_LENGTH,
    TOURNAMENT_ID_LENGTH,
    PlayerId,
    RoomId,
    TournamentId,
    spell,
)
from tenmatch.game.options import Options
from tenmatch.rules.deal import DealKind


def draw_room() -> RoomId:
    """Draw the id of a new room."""
    return RoomId(spell(secrets.token_bytes(32), ROOM_ID_LENGTH))


def draw_tournament() -> TournamentId:
    """Draw the id of a new tournament."""
    return TournamentId(RoomId(spell(secrets.token_bytes(32), TOURNAMENT_ID_LENGTH)))


def draw_seed(options: Options) -> bytes | None:
    """Draw the seed of a room's deal; the classic deal has none (rule 12)."""
    return None if options.deal is DealKind.CLASSIC else secrets.token_bytes(32)


def draw_bot(level: Level) -> Player:
    """Draw a computer player of that level, with an id and a name of its own."""
    entropy = secrets.token_bytes(32)
    return Player(PlayerId(spell(entropy, PLAYER_ID_LENGTH)), name_for(level, entropy), bot=level)
