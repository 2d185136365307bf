"""Every message there is."""

from __future__ import annotations

import importlib
import pkgutil

import condor_py.model.messages as package
from condor_py.model.messages import codec
from condor_py.model.messages.codec import Answer, Message, Vocabulary

NAMES = [name for _, name, _ in pkgutil.iter_modules(package.__path__)]
MODULES = [importlib.import_module(f"{package.__name__}.{name}") for name in NAMES]


def declared() -> list[type[Message]]:
    """Every message that crosses a link, answers included; bases without a word and parts of others are not."""
    found = {
        kind
        for module in MODULES
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Message) and kind not in vars(codec).values()
    }
    return sorted((kind for kind in found if kind.op or issubclass(kind, Answer)), key=lambda kind: kind.__name__)


def vocabularies() -> list[Vocabulary]:
    """What receivers understand."""
    return [word for module in MODULES for word in vars(module).values() if isinstance(word, Vocabulary)]
