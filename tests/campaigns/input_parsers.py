"""Every parser that the campaign ``inputs`` knows."""

from __future__ import annotations

import input_ads
import input_languages
import input_logs
import input_messages
import input_tools
from input_maker import Parser

PARSERS: tuple[Parser, ...] = (
    *input_ads.PARSERS,
    *input_languages.PARSERS,
    *input_logs.PARSERS,
    *input_messages.PARSERS,
    *input_tools.PARSERS,
)

__all__ = ["PARSERS", "Parser"]
