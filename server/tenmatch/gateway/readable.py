"""What people write, cleaned so that everyone sees all of it: names and chat.

Left out is what has no look of its own and so could make two names look alike, or turn or hide the text
around it: controls, direction marks, fillers, variation selectors, what no standard has assigned. Some of it
has a use beside certain other characters, and stays there only: the joiners inside emoji and inside Indic and
Arabic words. Of the marks that stack on a letter there are a few at most.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from tenmatch.protocol.limits import NAME_LENGTH

MOST_MARKS: Final = 4  # on one letter: living scripts stack no more
_JOINER, _NON_JOINER, _AS_EMOJI, _KEYCAP = "\u200d", "\u200c", "\ufe0f", "\u20e3"
_JOINERS: Final = frozenset((_JOINER, _NON_JOINER))
_KEYS: Final = frozenset("0123456789#*")
_SOMETIMES_EMOJI: Final = frozenset("\u00a9\u00ae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299")
# The combining class of the signs that leave out a vowel, after which a joiner has a meaning.
_VIRAMA: Final = 9
_UNSEEN: Final = re.compile(  # letters, marks and symbols by their category
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0\ufffc\U0001d159"
    "\U000e0100-\U000e01ef]"
)
_FLAGS: Final = re.compile(  # of England, Scotland and Wales: written with invisible letters
    "(\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f)"
)


def clean_name(name: str | None) -> str:
    """Return *name* cleaned, and no longer than NAME_LENGTH characters."""
    return clean(clean(name or "")[:NAME_LENGTH])


def clean(text: str) -> str:
    """Return *text* with only what can be seen, composed (NFC), its spaces folded."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    while (cleaner := _cleaned(text)) != text:  # what was left out may have stood between two that now meet
        text = cleaner
    return text


def _cleaned(text: str) -> str:
    parts = _FLAGS.split(text)  # every second one is a flag
    shown = (part if number % 2 else _shown(part) for number, part in enumerate(parts))
    return " ".join("".join(shown).split())


def _shown(text: str) -> str:
    seen = _composed(map(_seen, _composed(text)))
    return _composed(_joined("".join(_stacked(seen))))


def _composed(text: Iterable[str]) -> str:
    return unicodedata.normalize("NFC", "".join(text))


@lru_cache(4096)
def _seen(character: str) -> str:
    """Return a character that can be seen or may have a use, a space for any space, nothing for others."""
    if character in _JOINERS or _is_emoji(character):
        return character
    if _UNSEEN.match(character):
        return ""
    if unicodedata.category(character)[0] in "CZ":
        return " " if character.isspace() else ""
    return character


def _stacked(text: str) -> Iterator[str]:
    """Yield the characters, but no more than MOST_MARKS marks on one letter, and none on nothing."""
    marks = MOST_MARKS
    for character in text:
        if unicodedata.category(character) in ("Mn", "Me") and character != _AS_EMOJI:
            marks += 1
        elif character not in _JOINERS:
            marks = MOST_MARKS if character == " " else 0
        if marks <= MOST_MARKS:
            yield character


def _joined(text: str) -> Iterator[str]:
    """Yield the characters, the invisible ones that may have a use only where they have it."""
    before = ""
    for here, after in zip_longest(text, text[1:], fillvalue=""):
        if _is_of_use(before, here, after):
            before = here
            yield here


def _is_of_use(before: str, here: str, after: str) -> bool:
    if here == _AS_EMOJI:
        keycap = before in _KEYS and after == _KEYCAP
        return keycap or before in _SOMETIMES_EMOJI or _is_emoji(before)
    if here not in _JOINERS:
        return True
    if before and unicodedata.combining(before) == _VIRAMA:
        return True
    if here == _JOINER:
        return (before == _AS_EMOJI or _is_emoji(before)) and _is_emoji(after)
    return _is_arabic(before) and _is_arabic(after)


def _is_emoji(character: str) -> bool:
    """Tell whether it is a pictograph, or stands where coming versions of Unicode will have more of them."""
    if "\U0001f000" <= character <= "\U0001faff":
        return True
    if not ("\u2190" <= character <= "\u27bf" or "\u2900" <= character <= "\u2bff"):
        return False
    return unicodedata.category(character)[0] == "S"


def _is_arabic(character: str) -> bool:
    return bool(character) and unicodedata.bidirectional(character) == "AL"
