"""Makes the OpenAPI document from the code: `make openapi`."""

import json
from pathlib import Path
from typing import Final

import tenmatch.protocol
from tenmatch.protocol.openapi import document

PLACE: Final = Path(tenmatch.protocol.__file__).with_name("openapi.json")


def made() -> str:
    """Return the document as it should be."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PLACE.write_text(made())
