"""The changes and checks of the schedd on submitted jobs, and the attributes that may be changed later."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: SYSTEM_IMMUTABLE_JOB_ATTRS, in lower case.
IMMUTABLE = frozenset({"owner", "clusterid", "jobuniverse", "procid", "mytype", "targettype", "user", "osuser"})
#: SYSTEM_SECURE_JOB_ATTRS, in lower case.
SECURE = frozenset(
    {
        "x509userproxysubject",
        "x509userproxyemail",
        "x509userproxyvoname",
        "x509userproxyfirstfqan",
        "x509userproxyfqan",
        "totalsubmitprocs",
        "authtokensubject",
        "authtokenissuer",
        "authtokengroups",
        "authtokenid",
        "authtokenscopes",
        "authtokenproject",
        "osuser",
    }
)


def _no_macro(_name: str) -> str | None:
    return None


class Requirement:
    """One of SUBMIT_REQUIREMENT_NAMES: ClassAd expressions, ``reason`` may be empty."""

    __slots__ = ("expression", "is_warning", "name", "reason")

    def __init__(self, name: str, expression: str, reason: str = "", is_warning: bool = False) -> None:
        self.name = name
        self.expression = expression
        self.reason = reason
        self.is_warning = is_warning


class SubmitPolicy:
    """JOB_TRANSFORM_NAMES and SUBMIT_REQUIREMENT_NAMES, in order, and GLOBAL_JOB_ID_WITH_TIME.

    ``transforms`` are (name, rules text). ``macro`` gives the unexpanded text of a knob that rules refer to.
    ``schedd`` are the (name, ClassAd text) attributes by which requirements know the schedd. ``notes`` tell of knobs
    that are missing or cannot be understood; what they would do is left out, as HTCondor does it.
    """

    __slots__ = ("ids_with_time", "macro", "notes", "requirements", "schedd", "transforms")

    def __init__(
        self,
        transforms: tuple[tuple[str, str], ...] = (),
        requirements: tuple[Requirement, ...] = (),
        macro: Callable[[str], str | None] = _no_macro,
        schedd: tuple[tuple[str, str], ...] = (),
        notes: tuple[str, ...] = (),
        ids_with_time: bool = True,
    ) -> None:
        self.transforms = transforms
        self.requirements = requirements
        self.macro = macro
        self.schedd = schedd
        self.notes = notes
        self.ids_with_time = ids_with_time

    def id_end(self, now: int) -> str:
        """Return the end of the GlobalJobId of a job that is submitted now."""
        return f"#{now}" if self.ids_with_time else ""

    @property
    def is_empty(self) -> bool:
        """Whether every job is taken as it comes."""
        return not self.transforms and not self.requirements


class EditRules:
    """Lower-case names of job attributes that no user (``immutable``), only super users (``protected``) or only the
    schedd (``secure``) may change in a queued job. Attempts at secure ones are ignored, or fail when
    ``refuse_secure``.
    """

    __slots__ = ("immutable", "protected", "refuse_secure", "secure")

    def __init__(
        self,
        immutable: frozenset[str] = IMMUTABLE,
        protected: frozenset[str] = frozenset(),
        secure: frozenset[str] = SECURE,
        refuse_secure: bool = False,
    ) -> None:
        self.immutable = immutable
        self.protected = protected
        self.secure = secure
        self.refuse_secure = refuse_secure
