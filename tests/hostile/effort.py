"""How much is done: a part in every run, all with `pytest tests/hostile --hypothesis-profile=full`."""

from typing import Final

from hypothesis import settings

FULL: Final = settings.get_current_profile_name() == "full"
