"""What can be said by its key, so that each client says it in its own language (message `chat`)."""

from collections.abc import Mapping
from typing import Final

PHRASES: Final[Mapping[str, str]] = {
    "hello": "Hello!",
    "good_luck": "Good luck!",
    "well_seen": "Well seen!",
    "so_close": "That was close!",
    "oops": "Oops!",
    "good_game": "Good game!",
    "thanks": "Thank you!",
    "again": "Another game?",
}
"""By key, in the order in which they are needed: what a client reads that does not know the key."""
