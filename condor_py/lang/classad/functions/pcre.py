"""PCRE patterns in the words of Python's ``re``, as far as the two differ."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_POSIX = {
    b"alpha": rb"a-zA-Z",
    b"digit": rb"0-9",
    b"alnum": rb"a-zA-Z0-9",
    b"upper": rb"A-Z",
    b"lower": rb"a-z",
    b"space": rb" \t\n\r\f\v",
    b"blank": rb" \t",
    b"punct": rb"!-/:-@\[-`{-~",
    b"xdigit": rb"0-9A-Fa-f",
    b"word": rb"\w",
    b"print": rb" -~",
    b"graph": rb"!-~",
    b"cntrl": rb"\x00-\x1f\x7f",
}
_ESCAPES = {
    b"z": rb"\Z",
    b"Z": rb"(?=\n?\Z)",
    b"h": rb"[ \t\xa0]",
    b"H": rb"[^ \t\xa0]",
    b"v": rb"[\n\v\f\r\x85]",
    b"V": rb"[^\n\v\f\r\x85]",
    b"R": rb"(?:\r\n|[\n\v\f\r\x85])",
    b"N": rb"[^\n]",
    b"e": rb"\x1b",
    b"K": rb"",
    b"C": rb"(?s:.)",
    b"X": rb"(?s:\r\n|.)",
}
_CLASS_ESCAPES = {
    b"h": rb" \t\xa0",
    b"H": rb"\x00-\x08\x0a-\x1f!-\x9f\xa1-\xff",
    b"v": rb"\n\v\f\r\x85",
    b"V": rb"\x00-\t\x0e-\x84\x86-\xff",
    b"e": rb"\x1b",
}
_NAMED = re.compile(rb"\(\?(?:P?<|')([A-Za-z_][A-Za-z0-9_]*)[>']")
_NAMED_BACK = re.compile(rb"\\(?:k(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)'|\{([A-Za-z_]\w*)\})|g\{?(\d+)\}?)")
_FLAGS_HERE = re.compile(rb"\(\?([a-zJ]*)(?:-([a-zJ]+))?\)")
#: A callout: HTCondor registers none, so that it does nothing.
_CALLOUT = re.compile(rb"""\(\?C(?:0*(?:25[0-5]|2[0-4]\d|1?\d?\d)|'[^']*'|"[^"]*")?\)""")
#: A bar or parenthesis, or an escape or class that may hold one.
_BAR_OR_BRACKET = re.compile(rb"(?s)\\.|\[(?:\\.|[^\]\\])*\]|[()|]")
#: The beginning of a class, where quotes around nothing count for nothing.
_CLASS = re.compile(rb"\[(?:\\E|\\Q\\E)*(\^?)(?:\\E|\\Q\\E)*")
#: A quantifier without its least number is these characters; Python counts from 0.
_NO_QUANTIFIER = re.compile(rb"\{,\d*\}")
_QUANTIFIER = re.compile(rb"[*+?]|\{\d+(?:,\d*)?\}")
_PROPERTY = re.compile(rb"\\([pP])(?:([A-Z])|\{(\^?)([A-Za-z_&]+)\})")
_CATEGORIES = re.compile("C[cfnos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?")
#: Scripts of which no byte is a letter.
_OTHER_SCRIPTS = re.compile(
    "Arabic|Armenian|Balinese|Bamum|Bengali|Bopomofo|Braille|Buginese|Cherokee|Coptic|Cuneiform|Cyrillic|"
    "Devanagari|Ethiopic|Georgian|Glagolitic|Gothic|Greek|Gujarati|Gurmukhi|Han|Hangul|Hanunoo|Hebrew|Hiragana|"
    "Inherited|Javanese|Kannada|Katakana|Khmer|Lao|Limbu|Lisu|Malayalam|Mongolian|Myanmar|Nko|Ogham|Oriya|Runic|"
    "Samaritan|Sinhala|Sundanese|Syriac|Tagalog|Tamil|Telugu|Thaana|Thai|Tibetan|Tifinagh|Vai|Yi"
)
_CODE = re.compile(rb"\\(?:x\{([0-9A-Fa-f]{1,2})\}|o\{0*([0-3]?[0-7]{1,2})\}|c([ -~]))")


def translate(pattern: bytes, extended: bool = False) -> bytes:
    """``pattern`` for ``re.compile``; ``extended`` where that will be verbose. What Python cannot express raises
    re.error when compiled."""
    out, end = _sequence(pattern, 0, 0, extended)
    if end < len(pattern):
        raise re.error("unmatched )")
    return out


def _sequence(pattern: bytes, at: int, level: int, extended: bool) -> tuple[bytes, int]:
    """Translates up to the parenthesis that closes this group; a flag group covers what is left of it.

    Comments of extended patterns are left out: they may end at the end of the pattern, and hold anything.
    """
    out: list[bytes] = []
    closers = 0
    while at < len(pattern):
        char = pattern[at : at + 1]
        if char == b")":
            if level == 0:
                break
            return b"".join(out) + b")" * closers, at
        if char == b"\\":
            piece, at = _escape(pattern, at)
            out.append(piece)
        elif char == b"[":
            piece, at = _class(pattern, at)
            out.append(piece)
        elif char == b"(":
            callout = _CALLOUT.match(pattern, at)
            if callout is not None:
                at = callout.end()
                continue
            flags = _FLAGS_HERE.match(pattern, at)
            if flags is not None:
                out.append(_flag_group(flags))
                extended = _is_extended(extended, flags[1], flags[2])
                closers += 1
                at = flags.end()
                continue
            piece, at = _group(pattern, at, level, extended)
            out.append(piece)
        elif char == b"#" and extended:
            at = (pattern.find(b"\n", at) + 1) or len(pattern)
        elif char == b"{" and (literal := _NO_QUANTIFIER.match(pattern, at)) is not None:
            out.append(b"\\" + literal[0])
            at = literal.end()
        else:
            out.append(char)
            at += 1
    return b"".join(out) + b")" * closers, at


def _is_extended(before: bool, on: bytes | None, off: bytes | None) -> bool:
    return (before or b"x" in (on or b"")) and b"x" not in (off or b"")


def _flag_group(flags: re.Match[bytes]) -> bytes:
    on = bytes(byte for byte in flags[1] if byte in b"imsx")
    off = bytes(byte for byte in flags[2] or b"" if byte in b"imsx")
    if not on and not off:
        return b"(?:"
    return b"(?" + on + (b"-" + off if off else b"") + b":"


def _group(pattern: bytes, at: int, level: int, extended: bool) -> tuple[bytes, int]:
    if pattern.startswith(b"(?#", at):
        end = pattern.find(b")", at)
        if end < 0:
            raise re.error("missing ) after comment")
        return b"", end + 1
    named = _NAMED.match(pattern, at)
    if named is not None:
        opening, start = b"(?P<" + named[1] + b">", named.end()
    else:
        match = re.compile(rb"\((?:\?(?:[:=!>]|<[=!]|([a-z]*)(?:-([a-z]+))?:|P=|P>|\())?").match(pattern, at)
        assert match is not None
        extended = _is_extended(extended, match[1], match[2])
        opening, start = match.group(), match.end()
        if opening == b"(" and pattern.startswith(b"(?|", at):
            raise re.error("branch reset groups are not supported")
    inner, end = _sequence(pattern, start, level + 1, extended)
    if end >= len(pattern):
        raise re.error("missing )")
    if opening == b"(?<=":
        return b"(?:" + b"|".join(b"(?<=" + one + b")" for one in _alternatives(inner)) + b")", end + 1
    if opening == b"(?<!":
        return b"(?:" + b"".join(b"(?<!" + one + b")" for one in _alternatives(inner)) + b")", end + 1
    return opening + inner + b")", end + 1


def _alternatives(pattern: bytes) -> list[bytes]:
    """Cut a translated pattern at the bars outside of its groups: they may differ in length where Python's ``re`` looks
    behind only if each is looked for on its own."""
    found = []
    start = level = 0
    for match in _BAR_OR_BRACKET.finditer(pattern):
        level += (match[0] == b"(") - (match[0] == b")")
        if match[0] == b"|" and not level:
            found.append(pattern[start : match.start()])
            start = match.end()
    return [*found, pattern[start:]]


def _escape(pattern: bytes, at: int) -> tuple[bytes, int]:
    char = pattern[at + 1 : at + 2]
    if not char:
        raise re.error("\\ at end of pattern")
    if char == b"Q":
        end = pattern.find(rb"\E", at)
        literal = pattern[at + 2 : end if end >= 0 else len(pattern)]
        return re.escape(literal), end + 2 if end >= 0 else len(pattern)
    if char == b"E":
        return b"", at + 2
    if char == b"Z" and _QUANTIFIER.match(pattern, at + 2):
        raise re.error("nothing to repeat")  # what stands for it in Python is a group, which may be repeated
    back = _NAMED_BACK.match(pattern, at)
    if back is not None:
        if back[4]:
            return b"(?:\\" + back[4] + b")", back.end()
        return b"(?P=" + (back[1] or back[2] or back[3]) + b")", back.end()
    code = _CODE.match(pattern, at)
    if code is not None:
        return _byte(code), code.end()
    if char in b"pP":
        inside, end = _property(pattern, at)
        return (b"(?-i:[" + inside + b"])" if inside else b"(?!)"), end
    if char in _ESCAPES:
        return _ESCAPES[char], at + 2
    if char.isalpha() and char not in b"AbBdDsSwWafnrtvxZ":
        raise re.error("unknown escape")
    return pattern[at : at + 2], at + 2


def _byte(code: re.Match[bytes]) -> bytes:
    """The escape of the byte that ``\\x{…}``, ``\\o{…}`` or ``\\cX`` names."""
    if code[3]:
        return b"\\x%02x" % (ord(code[3].upper()) ^ 0x40)
    return b"\\x%02x" % (int(code[1], 16) if code[1] else int(code[2], 8))


def _property(pattern: bytes, at: int) -> tuple[bytes, int]:
    """The bytes with the property ``\\p…`` or ``\\P…`` at ``at``, as members of a class, and the offset behind it."""
    match = _PROPERTY.match(pattern, at)
    if match is None:
        raise re.error("malformed \\P or \\p sequence")
    members = _bytes_with((match[2] or match[4]).decode())
    if (match[1] == b"P") != (match[3] == b"^"):
        members = frozenset(range(256)) - members
    return b"".join(b"\\x%02x" % byte for byte in sorted(members)), match.end()


@cache
def _bytes_with(name: str) -> frozenset[int]:
    """The bytes with the property ``name``: without UTF mode, as in HTCondor, a byte is a character of Latin-1."""
    if name == "Any":
        return frozenset(range(256))
    if _OTHER_SCRIPTS.fullmatch(name):
        return frozenset()
    return frozenset(byte for byte in range(256) if _has_property(chr(byte), name))


def _has_property(char: str, name: str) -> bool:
    category = unicodedata.category(char)
    latin = category[0] == "L" and char != "\xb5"
    if _CATEGORIES.fullmatch(name):
        return category.startswith(name)
    if name == "L&":
        return category in ("Lu", "Ll", "Lt")
    if name in ("Xan", "Xwd"):
        return category[0] in "LN" or (name == "Xwd" and char == "_")
    if name in ("Xsp", "Xps"):
        return category[0] == "Z" or char in "\t\n\v\f\r\x85"
    if name == "Xuc":
        return char in "$@`" or char >= "\xa0"
    if name in ("Latin", "Common"):
        return latin == (name == "Latin")
    raise re.error("unknown property name after \\P or \\p")


def _class(pattern: bytes, at: int) -> tuple[bytes, int]:
    """A bracketed class: POSIX names become ranges, a first ``]`` is literal."""
    begin = _CLASS.match(pattern, at)
    assert begin is not None
    out = [b"[", begin[1]]
    at = begin.end()
    if pattern.startswith(b"]", at):
        out.append(rb"\]")
        at += 1
    while True:
        char = pattern[at : at + 1]
        if not char:
            raise re.error("unterminated character set")
        if char == b"]":
            members = b"".join(out)
            empty = {b"[": b"(?!)", b"[^": b"(?s:.)"}.get(members)
            return empty or members + b"]", at + 1
        if pattern.startswith(b"[:", at) and (end := pattern.find(b":]", at)) > 0:
            name = pattern[at + 2 : end]
            if name not in _POSIX:
                raise re.error("unknown POSIX class")
            out.append(_POSIX[name])
            at = end + 2
        elif pattern.startswith((rb"\Q", rb"\E"), at):
            piece, at = _escape(pattern, at)
            out.append(piece)
        elif char == b"\\":
            code = _CODE.match(pattern, at)
            following = pattern[at + 1 : at + 2]
            if code is not None:
                out.append(_byte(code))
                at = code.end()
            elif following in (b"p", b"P"):
                inside, at = _property(pattern, at)
                out.append(inside)
            else:
                out.append(_CLASS_ESCAPES.get(following, pattern[at : at + 2]))
                at += 2
        else:
            out.append(rb"\[" if char == b"[" else re.sub(rb"[&~|]", rb"\\\g<0>", char))
            at += 1
