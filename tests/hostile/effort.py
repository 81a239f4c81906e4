"""How much is done: a part in every run, all with `pytest tests/hostile --hypothesis-profile=full`."""

from typing import Final

from tests.effort import full

FULL: Final = full()
