"""What a room can be made with."""

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from tenmatch.game.options import BadOptions, Mode, Options, choose, mode_named
from tenmatch.rules.deal import DealKind


@pytest.mark.parametrize(
    ("mode", "defaults"),
    [
        (Mode.RACE, Options()),
        (Mode.TURNS, Options()),
        (Mode.MIRROR, Options(seconds=360, max_players=4)),
    ],
)
def test_nothing_asked_gives_the_defaults(mode: Mode, defaults: Options) -> None:
    options, seed = choose(mode, {})
    assert options == defaults
    assert seed is None


def test_the_deal_chooses_its_size() -> None:
    assert choose(Mode.RACE, {"deal": "even"})[0].size == 36
    classic = choose(Mode.TURNS, {"deal": "classic"})[0]
    assert (classic.size, classic.deal) == (27, DealKind.CLASSIC)


@pytest.mark.parametrize(
    ("mode", "field", "least", "most"),
    [
        (Mode.RACE, "size", 9, 180),
        (Mode.TURNS, "size", 9, 180),
        (Mode.RACE, "adds", 0, 20),
        (Mode.RACE, "seconds", 10, 3600),
        (Mode.TURNS, "base_s", 5, 3600),
        (Mode.TURNS, "increment_s", 0, 60),
        (Mode.RACE, "max_players", 2, 8),
        (Mode.TURNS, "max_players", 2, 4),
        (Mode.MIRROR, "max_players", 1, 10),
        (Mode.MIRROR, "seconds", 10, 3600),
        (Mode.RACE, "countdown_ms", 0, 10_000),
    ],
)
def test_ranges(mode: Mode, field: str, least: int, most: int) -> None:
    for value in (least, most):
        assert getattr(choose(mode, {field: value})[0], field) == value
    for wrong in (least - 1, most + 1, True, float(least), str(most), [least]):
        with pytest.raises(BadOptions) as raised:
            choose(mode, {field: wrong})
        assert raised.value.field == field


@pytest.mark.parametrize("field", ["penalty", "row_again", "spectators"])
def test_switches(field: str) -> None:
    for value in (True, False):
        assert getattr(choose(Mode.TURNS, {field: value})[0], field) is value
    for wrong in (0, 1, "true"):
        with pytest.raises(BadOptions) as raised:
            choose(Mode.TURNS, {field: wrong})
        assert raised.value.field == field


@pytest.mark.parametrize(
    ("mode", "asked", "field"),
    [
        (Mode.RACE, {"colour": "red"}, "colour"),
        (Mode.RACE, {"mode": "race"}, "mode"),
        (Mode.RACE, {"rated": 1}, "rated"),
        (Mode.RACE, {"rated": True, "size": 36}, "size"),
        (Mode.RACE, {"rated": True, "deal": "even"}, "size"),
        (Mode.RACE, {"rated": True, "adds": 4}, "adds"),
        (Mode.RACE, {"rated": True, "seconds": 60}, "seconds"),
        (Mode.RACE, {"rated": True, "penalty": False}, "penalty"),
        (Mode.RACE, {"rated": True, "seed": "00" * 32}, "seed"),
        (Mode.TURNS, {"rated": True, "base_s": 60}, "base_s"),
        (Mode.TURNS, {"rated": True, "increment_s": 0}, "increment_s"),
        (Mode.TURNS, {"rated": True, "row_again": True}, "row_again"),
        (Mode.MIRROR, {"rated": True, "seconds": 180}, "seconds"),
        (Mode.MIRROR, {"rated": True, "max_players": 1}, "max_players"),
        (Mode.RACE, {"spectator_delay_ms": 120_001}, "spectator_delay_ms"),
        (Mode.RACE, {"deal": "odd"}, "deal"),
        (Mode.RACE, {"deal": 1}, "deal"),
        (Mode.RACE, {"deal": "even", "size": 35}, "size"),
        (Mode.RACE, {"deal": "classic", "size": 36}, "size"),
        (Mode.RACE, {"deal": "classic", "seed": "00" * 32}, "seed"),
        (Mode.RACE, {"seed": "00" * 31}, "seed"),
        (Mode.RACE, {"seed": "00" * 33}, "seed"),
        (Mode.RACE, {"seed": "0" * 63 + "g"}, "seed"),
        (Mode.RACE, {"seed": "0" * 63 + "\u0661"}, "seed"),  # a digit, but no hex digit
        (Mode.RACE, {"seed": "00" * 32 + "\n"}, "seed"),
        (Mode.RACE, {"seed": 5}, "seed"),
        (Mode.RACE, {"base_s": 60}, "base_s"),
        (Mode.RACE, {"increment_s": 0}, "increment_s"),
        (Mode.RACE, {"row_again": True}, "row_again"),
        (Mode.TURNS, {"seconds": 60}, "seconds"),
        (Mode.MIRROR, {"base_s": 60}, "base_s"),
        (Mode.MIRROR, {"increment_s": 0}, "increment_s"),
        (Mode.MIRROR, {"row_again": True}, "row_again"),
    ],
)
def test_what_cannot_be_names_its_field(mode: Mode, asked: dict[str, object], field: str) -> None:
    with pytest.raises(BadOptions) as raised:
        choose(mode, asked)
    assert raised.value.field == field
    assert raised.value.text


def test_another_modes_options_may_be_said_at_their_defaults() -> None:
    assert choose(Mode.RACE, {"base_s": 120, "increment_s": 3, "row_again": False})[0] == Options()
    assert choose(Mode.TURNS, {"seconds": 180, "rated": False})[0] == Options()


@pytest.mark.parametrize(("mode", "delay"), [(Mode.RACE, 5_000), (Mode.TURNS, 5_000), (Mode.MIRROR, 120_000)])
def test_who_watches_a_rated_room_sees_it_later(mode: Mode, delay: int) -> None:
    options, seed = choose(mode, {"rated": True})
    assert options == replace(choose(mode, {})[0], rated=True, spectator_delay_ms=delay)
    assert seed is None


def test_of_a_rated_room_one_may_choose_how_many_play_who_watches_and_when_it_begins() -> None:
    free = {"max_players": 3, "countdown_ms": 0, "spectators": False, "spectator_delay_ms": 0}
    for mode in Mode:
        options, _ = choose(mode, {"rated": True, **free})
        assert to_builtins(options).items() >= free.items()
    spelt_out = to_builtins(choose(Mode.MIRROR, {"rated": True})[0])
    assert to_builtins(choose(Mode.MIRROR, spelt_out)[0]) == spelt_out


def test_a_seed_may_be_written_in_either_case() -> None:
    named = "0123456789abcdefABCDEF" + "0" * 42
    assert choose(Mode.RACE, {"seed": named})[1] == bytes.fromhex(named)


def test_modes_by_name() -> None:
    assert [mode_named(name) for name in ("race", "turns", "mirror")] == list(Mode)
    for unknown in ("mirrors", "Race", ""):
        with pytest.raises(BadOptions) as raised:
            mode_named(unknown)
        assert raised.value.field == "mode"


def test_null_is_not_asked() -> None:
    nothing = dict.fromkeys((*Options.__struct_fields__, "seed"))
    assert choose(Mode.RACE, nothing) == choose(Mode.RACE, {})


def test_only_a_room_without_chat_says_so() -> None:
    silent, _ = choose(Mode.RACE, {"chat": False})
    assert list(to_builtins(silent).items()) == [*to_builtins(Options()).items(), ("chat", False)]
    assert not silent.talks
    for asked in ({}, {"chat": True}, {"chat": None}):
        options, _ = choose(Mode.RACE, asked)
        assert options == Options()
        assert options.talks
    assert not choose(Mode.RACE, {"chat": False, "rated": True})[0].talks
