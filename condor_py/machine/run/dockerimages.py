"""Images of jobs: what they are called, whether they are here for the requesting user, and how few of them are kept.

An image that was brought for a user carries a second name, ``htcondor.org/USER/IMAGE``: it is used again for them
without asking, and so it is known which images are ours to remove. Another user's job asks the repository again, which
may not let them have it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.engine import Engine
from condor_py.machine.run.process import StartError
from condor_py.model.settings.containers import DockerSettings
from condor_py.model.states import HoldCode

#: What a repository calls an image: host and port, path, tag, digest. Nothing that an engine takes for an option, or
#: for a place on this machine.
_NAME = re.compile(
    r"[A-Za-z0-9][\w.-]*(:\d+)?(/[A-Za-z0-9_][\w.-]*)*(:[A-Za-z0-9_][\w.-]*)?(@[A-Za-z0-9+.]+:[0-9a-fA-F]+)?\Z",
    re.ASCII,
)
_PLACES = (
    "dir",
    "oci",
    "oci-archive",
    "docker-archive",
    "docker-daemon",
    "containers-storage",
    "ostree",
    "sif",
    "tarball",
)
#: Characters of a name; repositories allow fewer, and no program takes an argument of more than 128 KB.
_LONGEST = 1024
_OURS = "htcondor.org/"
#: A part of a name, the port of a repository, and a digest (after a tag or not).
_PART = re.compile(r"[a-z0-9]+((\.|__?|-+)[a-z0-9]+)*\Z")
_PORT = re.compile(r"^([^/:]*):(\d+)/")
_DIGEST = re.compile(r"(?::[^/@]+)?@(\w+):([0-9a-fA-F]+)\Z")
#: Seconds for an image to come.
_PULLING = 72_000.0
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def is_name(image: str) -> bool:
    """Whether an image is named as repositories name them."""
    return len(image) <= _LONGEST and _NAME.match(image) is not None and image.partition(":")[0].lower() not in _PLACES


def check_image(image: str) -> None:
    """StartError 35 for what is no name of an image."""
    if not is_name(image):
        text = f"Cannot pull image {image[:_LONGEST]}: that is no name of an image"
        raise StartError(HoldCode.INVALID_DOCKER_IMAGE, 0, text)


def image_of(ad: ClassAd) -> str:
    """The image of a job as the engine calls it, with its tag; "" when it has none."""
    image = ad.eval_str("DockerImage", None) or ad.eval_str("ContainerImage", None) or ""
    image = image.removeprefix("docker://")
    if not image or "@" in image or ":" in image.rpartition("/")[2]:
        return image
    return f"{image}:latest"


def marked(image: str, user: str) -> str:
    """The second name of an image that was brought for ``user`` (NAME@DOMAIN). What may not stand in one is written
    otherwise: the port of a repository, a digest, and names of users with letters that engines do not like."""
    owner = user.replace("@", "_at_")
    if _PART.match(owner) is None:
        from hashlib import sha256  # brings the library of OpenSSL, which daemons do not need otherwise

        digest = sha256(user.encode("utf-8", "surrogateescape")).hexdigest()
        owner = f"user-{digest[:32]}"
    plain = _PORT.sub(r"\1-port-\2/", _DIGEST.sub(r":\1-\2", image))
    return f"{_OURS}{owner}/{plain}"


def unmarked(name: str) -> str:
    """Return the image's own name, given its second name; "" for any other name."""
    if not name.startswith(_OURS):
        return ""
    image = re.sub(r"^([^/]*)-port-(\d+)/", r"\1:\2/", name.removeprefix(_OURS).partition("/")[2])
    return re.sub(r":(sha\d+)-([0-9a-f]{32,})\Z", r"@\1:\2", image)


class Image(NamedTuple):
    """One name of an image. ``size`` in bytes; ``used`` is when it was last named, as the engine writes times."""

    name: str
    id: str
    size: int = 0
    used: str = ""


def size_of(text: str) -> int:
    """Bytes of ``1.5MB`` or ``12.3 kB``; 0 for what cannot be read."""
    match = re.match(r"([\d.]+)\s*([KMGT]?)i?B\Z", text.strip(), re.IGNORECASE)
    try:
        return int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
    except (ValueError, OverflowError):
        return 0


class Images:
    """Those of one engine."""

    def __init__(self, engine: Engine, settings: DockerSettings) -> None:
        self._engine = engine
        self._settings = settings

    def named(self) -> list[Image]:
        """All that have a name."""
        answer = self._engine.ask("images", "--format", "{{.Repository}}:{{.Tag}} {{.ID}} {{.Size}}")
        rows = [line.split(" ", 2) for line in answer.out.splitlines()] if answer.code == 0 else []
        return [Image(row[0], row[1], size_of(row[2])) for row in rows if len(row) == 3 and "<none>" not in row[0]]

    def ours(self) -> list[Image]:
        """Each image that was brought for jobs, once; the one that was not used for longest first."""
        found = {image.id: image for image in self.named() if image.name.startswith(_OURS)}
        used = self._used(list(found))
        dated = [Image(one.name, one.id, one.size, used.get(one.id, "")) for one in found.values()]
        return sorted(dated, key=lambda image: image.used)

    def _used(self, ids: list[str]) -> dict[str, str]:
        """Return the times when images were last named; empty where the engine does not record them."""
        if not ids:
            return {}
        answer = self._engine.ask("inspect", "--format", "{{.Id}} {{.Metadata.LastTagTime}}", *ids)
        told = [line.rpartition("sha256:")[2].partition(" ") for line in answer.out.splitlines()]
        return {short: when for short in ids for whole, _, when in told if when and whole.startswith(short)}

    def bytes(self) -> int:
        """Total size of the images that were pulled for jobs, in bytes."""
        return sum(image.size for image in self.ours())

    def architecture(self, image: str) -> str | None:
        """Return the architecture of a local image ("" where it does not say); None when the image is not here."""
        answer = self._engine.ask("image", "inspect", "--format", "{{.Architecture}}", image)
        return answer.out.strip() if answer.code == 0 else None

    def pull(self, image: str) -> None:
        """Brings an image, after making room for it. StartError 35; OSError when there is no engine to ask."""
        self._make_room()
        answer = self._engine.ask("pull", "-q", image, patience=_PULLING)
        answer.check_started()
        if answer.code != 0:
            raise StartError(HoldCode.INVALID_DOCKER_IMAGE, 0, f"Cannot pull image {image} {answer.line}")

    def mark(self, image: str, user: str) -> None:
        """Notes that an image was brought for a user, and that it is in use now."""
        self._engine.ask("tag", image, marked(image, user))

    def _make_room(self) -> None:
        """Removes those that were not used for longest until there is room for another one
        (DOCKER_IMAGE_CACHE_SIZE). What a container uses stays."""
        kept = self.ours()
        surplus = len(kept) + 1 - max(self._settings.image_cache_size, 1)
        for image in kept:
            if surplus <= 0:
                return
            surplus -= self._evict(image)

    def _evict(self, image: Image) -> bool:
        """Whether the image is gone: its second names go, and what they are made of. One that is in use gets its names
        back."""
        marks = [one.name for one in self.named() if one.id == image.id and one.name.startswith(_OURS)]
        for name in dict.fromkeys((*marks, *map(unmarked, marks))):
            self._engine.ask("rmi", name)
        if all(one.id != image.id for one in self.named()):
            return True
        for name in marks:
            self._engine.ask("tag", image.id, name)
        return False
