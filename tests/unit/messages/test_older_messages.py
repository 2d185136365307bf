"""Messages as older versions of condor_py wrote them: each is understood, or refused in one line.

During an upgrade tools of one version meet daemons of another. Starters and the daemon that has forked them are always
of one version; what they say to each other may change.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from declared_messages import MODULES, declared, vocabularies

from condor_py.client.wire import Decoder, encode
from condor_py.model.messages import codec
from condor_py.model.messages.codec import BadMessage, Vocabulary

_OLDER = sorted((Path(__file__).parent / "older").glob("*.json"))
#: Receivers that are of the same version as the sender.
_OF_ONE_VERSION = ("BY_STARTER", "FROM_STARTER")


def named() -> dict[str, Vocabulary]:
    """All receivers, by their names."""
    known = vocabularies()
    return {name: words for module in MODULES for name, words in vars(module).items() if words in known}


@pytest.mark.parametrize("path", _OLDER, ids=lambda path: path.stem)
def test_what_older_versions_said_is_understood(path: Path) -> None:
    receivers, answers = named(), {kind.__name__: kind for kind in declared()}
    refused = []
    for line in path.read_text().splitlines():
        receiver, name, head = json.loads(line)
        ((sent, body),) = Decoder(1 << 20, 1 << 20).feed(encode(head, b"body"))
        assert (sent, body) == (head, b"body")
        try:
            if receiver:
                receivers[receiver].read(sent)
            elif name in answers:
                codec.read(answers[name], sent)
        except BadMessage as error:
            refused.append((receiver, str(error)))
    assert [told for told in refused if told[0] not in _OF_ONE_VERSION] == []
    assert all("\n" not in text and len(text) < 200 for _, text in refused)


def test_there_are_recordings() -> None:
    assert len(_OLDER) == 3
    assert all(len(path.read_text().splitlines()) > 100 for path in _OLDER)
