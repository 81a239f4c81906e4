"""Where the files of deploy/ are, and what they tell nodes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
DEPLOY: Final = ROOT / "deploy"


def documents(*files: Path) -> list[dict[str, Any]]:
    """Return the YAML documents of files."""
    return [document for file in files for document in yaml.safe_load_all(file.read_text()) if document]


def values(of: object, key: str) -> Iterator[Any]:
    """Yield everything that stands under a key, however deep."""
    if isinstance(of, dict):
        for name, value in of.items():
            if name == key:
                yield value
            yield from values(value, key)
    elif isinstance(of, list):
        for value in of:
            yield from values(value, key)
