"""Bytes without end for both decoders, which learn from what they reach: `make fuzz`, for FUZZ_S seconds.

atheris is not among what the tests need; `make fuzz` installs it. What makes a decoder fail is kept as a file
beside the corpus, and `python -m tests.hostile.fuzz_decoders FOLDER FILE` shows how.
"""

import random
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

LONGEST = 4_096  # bytes of a message


def prepare(folder: Path) -> list[str]:
    """Put seeds and a dictionary into *folder*; return the flags that name them."""
    decoders = import_module("tests.hostile.decoders")
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(decoders.seeds()):
        (corpus / f"seed{number}").write_bytes(seed)
    words = "".join(f'"{word}"\n' for word in decoders.words())
    (folder / "words").write_text(words)
    return [f"-dict={folder / 'words'}", f"-artifact_prefix={folder}/", f"-max_len={LONGEST}", str(corpus)]


def main(folder: str, *flags: str) -> None:
    """Fuzz until something fails or the time is over; with a file among the flags, try only that."""
    atheris: Any = import_module("atheris")  # which has no types, and is there only for this
    with atheris.instrument_imports(include=["tenmatch.protocol", "tests.hostile"]):
        decoders = import_module("tests.hostile.decoders")
    whole = list(decoders.seeds())

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        # The decoders are no Python: how far an input gets is hardly seen, so begin with messages ever again.
        chance = random.Random(seed)
        mutated: bytes = atheris.Mutate(chance.choice([data, chance.choice(whole)])[:longest], longest)
        return mutated

    prepared = prepare(Path(folder))
    single = [flag for flag in flags if not flag.startswith("-")]
    arguments = [sys.argv[0], *flags, *(prepared[:-1] if single else prepared)]
    atheris.Setup(arguments, decoders.take, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
