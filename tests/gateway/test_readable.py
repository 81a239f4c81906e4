"""Names and chat: everything that is there can be seen, and what people write survives."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenmatch.gateway import readable
from tenmatch.gateway.readable import MOST_MARKS, clean, clean_name
from tenmatch.protocol.limits import NAME_LENGTH

ACUTE, GRAVE = "\u0301", "\u0300"
RIGHT_TO_LEFT = "\u202e"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Anna", "Anna"),
        ("  Anna \t B.\n", "Anna B."),
        ("A\u00a0B\u2003C\u3000D", "A B C D"),
        (f"A{RIGHT_TO_LEFT}nna", "Anna"),
        ("A\u200b\u00ad\u2060\ufeffnna\u0000\u001b[31m", "Anna[31m"),
        ("A\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u2066\u2067\u2068\u2069nna", "Anna"),
        ("An\u200d\u200cna", "Anna"),
        ("\u115f\u1160\u3164\uffa0\u2800\u17b4\u034f", ""),
        ("A\ufe0fn\ufe00n\U000e0101a", "Anna"),
        ("A\U000e0041\U000e0042", "A"),  # letters nobody sees
        ("\ud800A\ue000\U0010ffff", "A"),
        ("\u2028\u2029\u0085", ""),
        (f"e{ACUTE}", "é"),
        (f"e\u200b{ACUTE}", "é"),
        (f"{ACUTE}Anna {GRAVE}B", "Anna B"),  # marks on nothing would stand on what comes before the name
    ],
)
def test_what_cannot_be_seen_is_left_out(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Анна 安娜 أنا Ánna Ñandú",
        "🙂🎉❤️🔥",
        "👩‍🚀",
        "👨‍👩‍👧‍👦",
        "🏳️‍🌈",
        "❤️‍🔥",
        "👍🏽🧑🏿‍🦽",
        "🇧🇷🇪🇸",
        "1️⃣#️⃣*️⃣",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f!",
        "↔️™️©️‼️☺️",
        "\U0001fae8\U0001f6dc",  # newer than many a table of characters
        "می‌خواهم",
        "क्‍ष ශ්‍රී নমস্তে",
        "ที่นี่ nhiễu",
        "שָׁלוֹם",
        "a ≠ b ± 3½ € §",
    ],
)
def test_what_people_write_survives(text: str) -> None:
    assert clean(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("👩\u200d", "👩"),
        ("\u200d👩", "👩"),
        ("👩\u200d\u200d👩", "👩\u200d👩"),
        ("👩\u200da", "👩a"),
        ("🙂\ufe0f\ufe0f", "🙂\ufe0f"),
        ("1\ufe0f", "1"),
        ("🏴\U000e0067\U000e0062\U000e0041\U000e007f", "🏴"),
        ("\u0628\u200cb", "\u0628b"),
        ("👩\u200d\u2800", "👩"),
    ],
)
def test_joiners_stay_only_where_they_join(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_letters_are_not_buried_under_marks() -> None:
    flood = clean("Z" + "\u0335\u0489\u20dd\u0300" * 40 + "a")
    assert flood[0] == "Z"
    assert flood[-1] == "a"
    assert len(flood) == 2 + MOST_MARKS
    assert len(clean("b" + "\u0300\u200d\u0316" * 40)) <= 1 + MOST_MARKS  # nor with joiners in between


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("x" * 40, "x" * NAME_LENGTH),
        ("x" * 23 + " y", "x" * 23),
        ("x" * 22 + "👩‍🚀", "x" * 22 + "👩"),
        ("x" * 23 + "1️⃣", "x" * 23 + "1"),
        (None, ""),
    ],
)
def test_a_name_is_cut_where_nothing_unseen_is_left_over(name: str | None, shown: str) -> None:
    assert clean_name(name) == shown


def is_clean(text: str) -> bool:
    """Tell whether all of it can be seen, but for what people need."""
    unseen = {c for c in text if not c.isprintable() and not "\U0001f000" <= c <= "\U0001faff"}
    return unseen <= {"\u200c", "\u200d", *map(chr, range(0xE0061, 0xE0080))} and text == " ".join(
        text.split()
    )


@given(st.text(max_size=60))
def test_a_clean_text_is_clean(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert is_clean(clean(text))


AWKWARD = st.text(
    "a1# \u0301\u0316\u0323\u094d\u0915\u05b0\u200c\u200d\ufe0f\u20e3\u0627\u0653👩🏽🏴☺\u2800\u202e"
    "\U000e0067\U000e0062\U000e0065\U000e006e\U000e007f\u1100\u1161\u11a8",
    max_size=60,
)


@given(AWKWARD)
def test_what_meets_when_something_is_left_out_is_looked_at_again(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert is_clean(clean(text))
    assert clean_name(clean_name(text)) == clean_name(text)


@given(AWKWARD)
def test_a_few_looks_are_enough(text: str) -> None:
    for _ in range(8):
        text = readable._cleaned(text)
    assert readable._cleaned(text) == text
