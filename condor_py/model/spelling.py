"""The known name that is spelled most like an unknown one ("did you mean ...?").

`nearest` compares one word with some names by the part of the letters that they share; `Speller` counts the letters
that differ, and is fast enough for hundreds of words against thousands of names.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Part of the letters that a misspelled word shares with the one that was meant.
_ALIKE = 0.75
#: Words of so few letters that differ in one of four are different words (Rack is not Rank).
_FEW, _ALIKE_OF_FEW = 4, 0.76
#: Letters of the longest word that may be a misspelling; to compare longer ones takes a time with their square.
_LONGEST = 200
#: Of words that are shorter than the first nothing is near, of those shorter than the second what is one letter away.
_TINY, _SHORT = 4, 8


def nearest(word: str, names: Iterable[str], alike: float = _ALIKE) -> str:
    """Return the name most like ``word``, or one that has the same letters in another order, without regard to case.

    "" when none is. ``alike``, from 0 to 1, is the part of the letters that both have to share.
    """
    from difflib import get_close_matches

    if not 2 < len(word) <= _LONGEST:
        return ""
    wanted = word.lower()
    known = {name.lower(): name for name in names}
    alike = alike if len(word) > _FEW else max(alike, _ALIKE_OF_FEW)
    found = get_close_matches(wanted, known, 1, alike)
    found = found or [name for name in known if len(name) == len(wanted) and sorted(name) == sorted(wanted)]
    return known[found[0]] if found else ""


class Speller:
    """Finds names that differ by few letters: left out, added, changed, or two that changed places."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [(name, name.lower(), _letters(name.lower())) for name in names]

    def nearest(self, name: str) -> str:
        """The name nearest to ``name``, without regard to case; "" when none is near."""
        word = name.lower()
        letters = _letters(word)
        limit = 0 if len(word) < _TINY else 1 if len(word) < _SHORT else 2
        best, best_distance = "", limit + 1
        for known, lower, mask in self._names:
            if abs(len(lower) - len(word)) > limit or (mask ^ letters).bit_count() > 2 * limit:
                continue
            found = distance(word, lower, best_distance - 1)
            if found < best_distance:
                best, best_distance = known, found
        return best


def _letters(word: str) -> int:
    """Return the characters that occur in ``word``, as bits."""
    mask = 0
    for letter in word:
        mask |= 1 << (ord(letter) & 63)
    return mask


def distance(one: str, other: str, limit: int) -> int:
    """Count the letters to be changed to turn ``one`` into ``other``; ``limit`` + 1 for more than ``limit``."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, last = last, row
    return last[-1]
