"""Destinations of the job ads of ``-dry-run`` and ``-dump``, and the additional output of ``-dry-run:<options>``."""

from __future__ import annotations

import sys

from condor_py.lang.submit import listing
from condor_py.lang.submit.errors import SubmitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from condor_py.cli.submit.request import Request
    from condor_py.lang.submit.build import ClusterDraft
    from condor_py.lang.submit.job import Attributes
    from condor_py.lang.submit.submit_file import QueueStatement


class FileTarget:
    """The file (``-`` is standard output) that job ads are written to in place of a queue."""

    def __init__(self, request: Request, path: str) -> None:
        self._full: list[str] | None = [] if "full" in request.dry_run_options else None
        self._options = request.dry_run_options
        self._is_dry = request.dry_run is not None
        self._stream: IO[str] = sys.stdout
        if path != "-":
            self._stream = self._open(path)

    def _open(self, path: str) -> IO[str]:
        try:
            return open(path, "w", encoding="utf-8", errors="surrogateescape")
        except OSError as error:
            from condor_py.cli.suggest import hint

            hint(f"condor_submit: {path}: {error.strerror}")
            what = "-dry-run output file" if self._is_dry else "to dump ClassAds into"
            raise SubmitError(f"\nERROR: Failed to open file {what} ({error.strerror})\n") from None

    def show_queue(self, draft: ClusterDraft, digest: str | None) -> None:
        """Write the state of the description where its first jobs begin, as far as the options ask for it.

        ``digest`` is that of a factory.
        """
        statement = draft.statements[0]
        wants_hash = "hash" in self._options or "tpl" in self._options
        if wants_hash:
            title = "-queue command line" if statement.is_argument else "Queue arguments"
            said = f"Specified: {statement.text}\nExpanded : {statement.expanded}"
            sys.stdout.write(f"\n----- {title} -----\n{said}")
        if digest is not None and "digest" in self._options:
            sys.stdout.write(f"\n\n----- submit digest -----\n{digest}-----\n")
        if wants_hash:
            lines = "".join(f"  {name} = {value}\n" for name, value in _macros(draft, statement))
            sys.stdout.write(f"\n----- submit hash at queue begin -----\n{lines}")
            if "tpl" in self._options:
                sys.stdout.write("\n----- templates -----\n")
            sys.stdout.write("-----\n")

    def begin_job(self) -> None:
        """A job is about to be made: an empty line sets it off."""
        if self._full is None:
            self._stream.write("\n")

    def job(self, cluster: int, proc: int, ad: Attributes, own: Attributes) -> None:
        """A job as it was made."""
        if self._full is None:
            self._stream.write(listing.proc_listing(cluster, proc, ad, own))
        else:
            self._full.append(listing.full_ad(cluster, proc, ad, own))

    def cluster(self, cluster: int, ad: Attributes) -> None:
        """A cluster whose jobs the schedd makes."""
        if self._full is None:
            self._stream.write(listing.cluster_listing(cluster, ad))

    def finish(self) -> None:
        """Writes the whole ads of ``-dry-run:full``, which come last, and closes the file."""
        if self._full:
            if self._stream is sys.stdout:
                sys.stdout.write("\n")
            self._stream.write("\n".join(self._full))
        self.close()

    def close(self) -> None:
        """Closes the file."""
        if self._stream is not sys.stdout:
            self._stream.close()


def _macros(draft: ClusterDraft, statement: QueueStatement) -> list[tuple[str, str]]:
    """The lines of the description, the variables of the queue statement and FACTORY.Iwd, by name."""
    found = {macro.name.lower(): (macro.name, macro.value) for macro in statement.table}
    for name in statement.args.variables:
        found.setdefault(name.lower(), (name, ""))
    found["factory.iwd"] = ("FACTORY.Iwd", draft.file.surroundings.directory)
    return [found[key] for key in sorted(found)]
