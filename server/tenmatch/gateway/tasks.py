"""How the gateway starts tasks: in a group that outlives whoever starts them."""

from collections.abc import Callable, Coroutine
from typing import Any

Spawn = Callable[[Coroutine[Any, Any, None]], object]
"""Starts a task in a group that outlives it."""
