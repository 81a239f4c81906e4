"""What the fuzzer asks of the decoders, asked of a few thousand messages in every run."""

import random
from pathlib import Path

import pytest
from tests.hostile import fuzz_decoders
from tests.hostile.decoders import seeds, take, words

from tenmatch.protocol import codec
from tenmatch.protocol.limits import CloseCode, PeerError

BITS = [
    b"1e999",
    b"NaN",
    b"\\ud800",
    b"[[[[",
    b"null",
    b"\xc1",
    b"\xc7\x08\xff",
    b"\xd6\xff",
    b"\xff",
    b"\x00",
]


def mutants(count: int, seed: int) -> list[bytes]:
    """Return messages that were changed in a few places."""
    chance, whole, found = random.Random(seed), list(seeds()), []
    for _ in range(count):
        data = chance.choice(whole)
        for _ in range(chance.randint(1, 4)):
            at, other = chance.randrange(len(data) + 1), chance.choice(whole)
            gone = chance.choice([0, 0, 1, 5])
            data = (
                data[:at]
                + chance.choice([b"", *BITS, chance.randbytes(1), other[at : at + 20]])
                + data[at + gone :]
            )
        found.append(data)
    return found


@pytest.mark.slow
def test_decoders_answer_to_whatever_comes() -> None:
    for data in [
        *seeds(),
        *(seed * 2 for seed in seeds()),
        b"[" * 4_096,
        b"\x91" * 4_096,
        *mutants(20_000, seed=1),
    ]:
        take(data)


@pytest.mark.parametrize("wrong", [RecursionError(), PeerError(CloseCode.TOO_LARGE, "no")])
def test_a_decoder_that_raises_what_it_should_not_is_found(
    wrong: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failure(*args: object) -> Exception:
        return wrong

    monkeypatch.setattr(codec, "_failure", failure)
    with pytest.raises((AssertionError, RecursionError)):
        take(b"{")


def test_a_decoder_that_takes_what_is_none_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    ping = codec.CODECS["tenmatch.v1.json"].decode(b'{"t":"ping"}')
    monkeypatch.setattr(codec._Json, "decode", lambda self, frame: ping)
    with pytest.raises(AssertionError, match="taken for a message"):
        take(b"{")


def test_the_fuzzer_begins_with_all_messages(tmp_path: Path) -> None:
    flags = fuzz_decoders.prepare(tmp_path)
    corpus = {path.read_bytes() for path in Path(flags[-1]).iterdir()}
    assert corpus == set(seeds())
    assert (tmp_path / "words").read_text().splitlines() == [f'"{word}"' for word in words()]
