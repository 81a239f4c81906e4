"""Makes the AsyncAPI document from the code and the frames in server/protocol.md: `make asyncapi`."""

import json
from pathlib import Path
from typing import Final

from tests.protocol.frames import EVENTS, FROM_CLIENT, TO_CLIENT, TOURNAMENT_EVENTS

import tenmatch.protocol
from tenmatch.protocol.asyncapi import Example, document

PLACE: Final = Path(tenmatch.protocol.__file__).with_name("asyncapi.json")


def made() -> str:
    """Return the document as it should be."""
    examples = [
        Example(frame.title.replace("`", ""), json.loads(frame.json))
        for frame in (*FROM_CLIENT, *TO_CLIENT, *EVENTS, *TOURNAMENT_EVENTS)
    ]
    return json.dumps(document(examples), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PLACE.write_text(made())
