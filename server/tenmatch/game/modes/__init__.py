"""Only what differs between the modes, each a module behind the interface in `play`."""

from typing import Final

from tenmatch.game.modes import mirror, race, turns
from tenmatch.game.modes.play import Play
from tenmatch.game.options import Mode

MODES: Final[dict[Mode, Play]] = {Mode.RACE: race, Mode.TURNS: turns, Mode.MIRROR: mirror}
