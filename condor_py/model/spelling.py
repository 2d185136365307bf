"""The known name that is spelled most like an unknown one. Fast enough for hundreds of names against thousands."""

from __future__ import annotations

from collections.abc import Iterable

#: Of words that are shorter than the first nothing is near, of those shorter than the second what is one letter away.
_TINY, _SHORT = 4, 8


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


def nearest_of(word: str, words: Iterable[str]) -> str:
    """The word of a small set that was probably meant; "" when none is like it."""
    from difflib import get_close_matches

    known = {one.lower(): one for one in words}
    found = get_close_matches(word.lower(), known, 1, 0.7)
    return known[found[0]] if found else ""


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
