"""condor_manifest: what the MANIFEST files of checkpoints say, and the clearing of what they list."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from condor_py.cli.common import HELP, VERSION, handle_help_and_version
from condor_py.cli.options import ToolSpec, parse
from condor_py.cli.suggest import hint
from condor_py.machine.run import checkpointlists as lists
from condor_py.model.errors import CondorError
from condor_py.model.spelling import nearest

_SPEC = ToolSpec(
    name="condor_manifest",
    usage="FUNCTION ARGUMENT",
    summary="Make, check and use the MANIFEST files of checkpoints.",
    positional="FUNCTION ARGUMENT",
    positional_help="a function (see FUNCTIONS in the manual page), and what it works on",
    description=(
        "A MANIFEST has one line a file, as sha256sum --binary prints it, and a last line for the lines before it. "
        "Names in it are relative to the directory in which it was made, so validateFilesListedIn is run there."
    ),
    options=(HELP, VERSION),
    sections=(
        (
            "FUNCTIONS",
            "getNumberFromFileName NAME\n"
            "    print the number of a file _condor_checkpoint_MANIFEST.N, or -1; it is the exit status too\n"
            "validateManifestFile FILE\n"
            "    print true when the last line of FILE fits the lines before it, else false\n"
            "validateFilesListedIn FILE\n"
            "    print true when every file that FILE lists has its checksum, else false and why\n"
            "FileFromLine LINE, ChecksumFromLine LINE\n"
            "    print that part of one line of a MANIFEST\n"
            "compute_file_sha256_checksum FILE\n"
            "    print the line of a MANIFEST for FILE\n"
            "createManifestFor DIRECTORY\n"
            "    write MANIFEST, here, with every file below DIRECTORY\n"
            "deleteFilesStoredAt DESTINATION STEM LOW HIGH\n"
            "    for the checkpoints LOW to HIGH: have the program that CHECKPOINT_DESTINATION_MAPFILE names for\n"
            "    DESTINATION/NNNN delete what STEM.NNNN lists, then remove that list; finally remove .job.ad next to\n"
            "    it and their directory, if nothing else is left there",
        ),
    ),
    examples=(
        ("condor_manifest validateManifestFile MANIFEST", "whether a MANIFEST is whole"),
        ("condor_manifest validateFilesListedIn MANIFEST", "whether the files agree with it"),
    ),
    exit_status="0 when it is so or was done, 1 when not; getNumberFromFileName exits with the number.",
    see_also=("condor_preen", "condor_store_check"),
)  # fmt: skip
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_manifest."""
    if len(argv) < 2:
        args = parse(_SPEC, argv)
        if handle_help_and_version(args):
            return 0
    function = _FUNCTIONS.get(argv[0]) if argv else None
    if function is None and argv:
        like = nearest(argv[0], _FUNCTIONS)
        hint(f"condor_manifest: {argv[0]} is not a function" + (f": did you mean {like}?" if like else ""))
    if function is None or len(argv) != 1 + function[0]:
        raise CondorError(
            "\n  ".join(("condor_manifest: FUNCTION ARGUMENT are wanted, where FUNCTION is one of", *_FUNCTIONS))
        )
    return function[1](argv[1:])


def _number(arguments: Sequence[str]) -> int:
    number = lists.checkpoint_number(arguments[0])
    print(number)
    return number & 0xFF


def _validate_itself(arguments: Sequence[str]) -> int:
    return _verdict(lists.is_whole(arguments[0]))


def _validate_files(arguments: Sequence[str]) -> int:
    try:
        lists.check_files(arguments[0])
    except CondorError as error:
        _verdict(False)
        print(error)
        if arguments[0] not in str(error):
            hint(f"The MANIFEST is {arguments[0]}")
        return 1
    return _verdict(True)


def _verdict(valid: bool) -> int:
    print("true" if valid else "false")
    return 0 if valid else 1


def _file(arguments: Sequence[str]) -> int:
    print(lists.file_of(arguments[0]))
    return 0


def _checksum(arguments: Sequence[str]) -> int:
    print(lists.checksum_of(arguments[0]))
    return 0


def _compute(arguments: Sequence[str]) -> int:
    try:
        print(lists.line_for(arguments[0]))
    except OSError as error:
        raise CondorError(f"condor_manifest: cannot read {arguments[0]}: {error.strerror}") from error
    return 0


def _create(arguments: Sequence[str]) -> int:
    try:
        lists.create(arguments[0], "MANIFEST")
    except CondorError as error:
        print(error)
        return 1
    return 0


def _delete(arguments: Sequence[str]) -> int:
    from condor_py.client.pool import open_pool
    from condor_py.lang.config.builders.checkpoints import checkpoints
    from condor_py.machine.run import checkpointcleanup

    destination, stem = arguments[:2]
    low, high = (_whole_number(text) for text in arguments[2:])
    settings = checkpoints(open_pool().config)
    errors = checkpointcleanup.clear(destination, stem, range(low, high + 1), settings, sys.stderr.write)
    for text in errors:
        print(text)
    return 1 if errors else 0


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise CondorError(f"'{text}' is not a number, aborting.") from None


#: Name of a function -> how many arguments it takes, and what does it.
_FUNCTIONS: dict[str, tuple[int, Callable[[Sequence[str]], int]]] = {
    "getNumberFromFileName": (1, _number),
    "validateManifestFile": (1, _validate_itself),
    "validateFilesListedIn": (1, _validate_files),
    "FileFromLine": (1, _file),
    "ChecksumFromLine": (1, _checksum),
    "compute_file_sha256_checksum": (1, _compute),
    "createManifestFor": (1, _create),
    "deleteFilesStoredAt": (4, _delete),
}
