"""The items of a queue statement: reading them, matching file names, cutting a line into variables."""

from __future__ import annotations

from functools import cache

from condor_py.lang.macro.lines import SPACE, LineReader
from condor_py.lang.submit.job import split_list
from condor_py.lang.submit.queue_args import QueueArgs, QueueError, TableOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable


@cache
def _name() -> re.Pattern[str]:
    import re

    return re.compile(r"[A-Za-z0-9_./]+\Z")


_FIELD = "\x1f"


class MatchOptions:
    """SubmitWarnEmptyMatches and its relatives."""

    __slots__ = ("allow_duplicates", "directories", "fail_empty", "warn_duplicates", "warn_empty")

    def __init__(
        self,
        warn_empty: bool = True,
        fail_empty: bool = False,
        warn_duplicates: bool = True,
        allow_duplicates: bool = False,
        directories: str = "yes",
    ) -> None:
        self.warn_empty = warn_empty
        self.fail_empty = fail_empty
        self.warn_duplicates = warn_duplicates
        self.allow_duplicates = allow_duplicates
        self.directories = directories


class ItemSources:
    """The sources of items: file text by name (``-`` is standard input), a command's output, names of a pattern.

    ``read`` and ``run`` raise OSError. ``glob`` gives sorted names, directories with a slash at the end. ``warn`` takes
    a text that goes to stderr unchanged.
    """

    __slots__ = ("glob", "read", "run", "warn")

    def __init__(
        self,
        read: Callable[[str], str],
        run: Callable[[str], str],
        glob: Callable[[str], list[str]],
        warn: Callable[[str], None],
    ) -> None:
        self.read = read
        self.run = run
        self.glob = glob
        self.warn = warn


def read_inline(args: QueueArgs, lines: LineReader) -> None:
    """Read the item lines that follow the statement up to one that begins with ``)``. Raises QueueError."""
    first = lines.number
    while (line := lines.next()) is not None:
        if line.text.startswith("#"):
            continue
        if line.text.startswith(")"):
            args.source = ""
            return
        _add(args, line.text)
    raise QueueError(f"Reached end of file without finding closing brace ')' for Queue command on line {first}")


def _add(args: QueueArgs, line: str) -> None:
    if args.mode == "from":
        args.items.append(line)
    else:
        args.items.extend(split_list(line))


def load(args: QueueArgs, sources: ItemSources, options: MatchOptions) -> None:
    """Read what is not in the submit file: item files, commands, matching names. Raises QueueError."""
    source = args.source
    if source and source != "<":
        try:
            text = sources.run(source[:-1].strip(SPACE)) if source.endswith("|") else sources.read(source)
        except OSError as error:
            raise QueueError(f"can't open file {source}: {error.strerror or error}") from None
        if "\0" in text:
            raise QueueError(f"{source} has a zero byte, which no value can hold")
        lines = LineReader(text, source)
        while (line := lines.next()) is not None:
            if source == "-":
                _add(args, line.text)
            else:
                args.items.append(line.text)
        args.source = ""
    if args.mode == "matching":
        args.items = _match(args, sources, options)
    if args.table is not None:
        _take_header(args, args.table)


def _match(args: QueueArgs, sources: ItemSources, options: MatchOptions) -> list[str]:
    if options.directories.lower() not in ("never", "no", "false", "only", "yes", "true"):
        raise QueueError(f"{options.directories} is not a valid value for SubmitMatchDirectories")
    only_files = args.what == "files" or (not args.what and options.directories.lower() in ("never", "no", "false"))
    only_dirs = args.what == "dirs" or (not args.what and options.directories.lower() == "only")
    groups: list[tuple[str, list[str]]] = []
    for pattern in args.items:
        names = sources.glob(pattern)
        if only_files or only_dirs:
            names = [name for name in names if name.endswith("/") == only_dirs]
        groups.append((pattern, names))
    empty = [pattern for pattern, names in groups if not names]
    if empty and options.fail_empty:
        raise QueueError("no matches for pattern(s): " + "".join(f"'{pattern}' " for pattern in empty))
    items: list[str] = []
    known: dict[str, int] = {}
    for pattern, names in groups:
        if not names and options.warn_empty and pattern != groups[0][0]:
            sources.warn(f"\nWARNING: '{pattern}' does not match any files")
        for name in names:
            if name in known and not options.allow_duplicates:
                if options.warn_duplicates:
                    sources.warn(
                        f"\nWARNING: '{name}' matching pattern '{pattern}' is a duplicate of item "
                        f"{known[name]}, skipping"
                    )
                continue
            known.setdefault(name, len(items))
            items.append(name)
    return items


def _take_header(args: QueueArgs, table: TableOptions) -> None:
    row = table.header_row
    if row < 0:
        return
    if row >= len(args.items):
        raise QueueError(f"Heading row {row} is beyond the end of table {args.source}")
    names = split_item(args.items[row], 0, table) or args.variables or ["Item"]  # a blank heading names nothing
    bad = [(str(at), name) for at, name in enumerate(names, 1) if not _name().match(name)]
    if bad:
        columns, texts = zip(*bad, strict=True)
        raise QueueError(f"Columns {','.join(columns)} have names that are not allowed : {', '.join(texts)}")
    args.variables = names
    del args.items[: row + 1 + table.skip_rows]


def split_item(item: str, columns: int, table: TableOptions | None = None) -> list[str]:
    """The values of one item line for ``columns`` variables (0: as many as there are); none when it is blank.

    One separator (a comma or one space) ends a value, the rest goes to the next; spaces around values are removed.
    The character 0x1F, where present, is the only separator. The last variable takes all that is left.
    """
    separators, blanks = (", \t", " \t")
    if table is not None:
        separators = table.separator
        blanks = " \t" if table.trim else ""
    elif _FIELD in item:
        separators = _FIELD
    item = item.strip(blanks) if blanks else item
    if not item:
        return []
    values = [item]
    while columns == 0 or len(values) < columns:
        last = values[-1]
        end = next((at for at, letter in enumerate(last) if letter in separators), -1)
        if end < 0:
            if columns == 0:
                break
            values.append("")
            continue
        head, tail = last[:end], last[end + 1 :]
        values[-1] = head.rstrip(blanks) if blanks else head
        values.append(tail.lstrip(blanks) if blanks else tail)
    return values
