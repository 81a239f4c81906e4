"""Patience of the stores that tests make: a process that stands still for a moment is no failure."""

from functools import partialmethod
from typing import Final

import pytest

from tenmatch.store import pipelines, primaries
from tenmatch.store.connect import Store

PATIENCE_S: Final = 60.0  # then a test fails


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let stores wait for answers that are only slow, but for those made with a time limit of their own."""
    monkeypatch.setattr(Store, "__init__", partialmethod(Store.__init__, timeout=PATIENCE_S))
    monkeypatch.setattr(pipelines, "WAIT", PATIENCE_S)
    monkeypatch.setattr(primaries, "ANSWER", PATIENCE_S)
