"""Colors and styles for terminals, under the names that the command line program ``htcondor`` uses."""

from __future__ import annotations

import enum
import os
import re
import sys

ANSI_RESET = "\033[0m"
ANSI_ESCAPE_RE = re.compile(r"\x1B(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])")


class Color(enum.StrEnum):
    """Foreground colors."""

    BLACK = "\033[30m"
    RED = "\033[31m"
    GREEN = "\033[32m"
    YELLOW = "\033[33m"
    BLUE = "\033[34m"
    MAGENTA = "\033[35m"
    CYAN = "\033[36m"
    WHITE = "\033[37m"
    DARK_GREY = "\033[90m"
    BRIGHT_RED = "\033[91m"
    BRIGHT_GREEN = "\033[92m"
    BRIGHT_YELLOW = "\033[93m"
    BRIGHT_BLUE = "\033[94m"
    BRIGHT_MAGENTA = "\033[95m"
    BRIGHT_CYAN = "\033[96m"
    BRIGHT_WHITE = "\033[97m"


class Style(enum.StrEnum):
    """Other ways to show a text."""

    BOLD = "\033[1m"
    UNDERLINE = "\033[4m"
    BLINK = "\033[5m"


class AnsiOptions:
    """Color and style together; ``str`` is the escape sequence, empty for none. Numbers are of the 256 colors."""

    def __init__(
        self,
        bold: bool = False,
        blink: bool = False,
        underline: bool = False,
        style: Style | None = None,
        color: Color | None = None,
        color_id: int | None = None,
        highlight: int | None = None,
    ) -> None:
        codes = []
        for code, wanted, same in ((1, bold, Style.BOLD), (4, underline, Style.UNDERLINE), (5, blink, Style.BLINK)):
            if wanted or style is same:
                codes.append(str(code))
        if color_id is not None:
            codes.append(f"38;5;{min(255, max(0, color_id))}")
        elif color is not None:
            codes.append(color.value[2:-1])
        if highlight is not None:
            codes.append(f"48;5;{min(255, max(0, highlight))}")
        self._text = f"\033[{';'.join(codes)}m" if codes else ""

    def __str__(self) -> str:
        return self._text


def is_capable() -> bool:
    """Whether standard output shows colors: a terminal, and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def colorize(string: str, color: Color) -> str:
    """``string`` in a color where there are colors."""
    return _wrapped(color.value, string)


def id_colorize(string: str, id: int) -> str:
    """``string`` in one of the 256 colors."""
    return _wrapped(f"\033[38;5;{min(255, max(0, id))}m", string)


def highlight(string: str, id: int) -> str:
    """``string`` on one of the 256 colors."""
    return _wrapped(f"\033[48;5;{min(255, max(0, id))}m", string)


def underline(string: str) -> str:
    """``string`` underlined."""
    return _wrapped(Style.UNDERLINE.value, string)


def bold(string: str) -> str:
    """``string`` in bold letters."""
    return _wrapped(Style.BOLD.value, string)


def blink(string: str) -> str:
    """``string`` blinking."""
    return _wrapped(Style.BLINK.value, string)


def stylize(string: str, options: AnsiOptions) -> str:
    """``string`` as ``options`` say."""
    return _wrapped(str(options), string)


def strip_ansi(string: str) -> str:
    """``string`` without escape sequences."""
    return ANSI_ESCAPE_RE.sub("", string)


def _wrapped(code: str, string: str) -> str:
    return code + string + ANSI_RESET if is_capable() else string
