"""One run of condor_submit: the jobs are made and go to the queue or to a file, and the user is informed."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack

from condor_py.lang.submit.errors import SubmitError
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

    from condor_py.cli.submit.request import Request
    from condor_py.client.pool import Pool
    from condor_py.client.progress import Meter
    from condor_py.client.submission import Items, SubmittedCluster
    from condor_py.lang.submit.build import BuildOptions, ClusterDraft
    from condor_py.lang.submit.factory import FactoryText
    from condor_py.lang.submit.job import Attributes
    from condor_py.lang.submit.submit_file import QueueStatement, SubmitFile
    from condor_py.model.settings.submit import SubmitSettings


_HELP_PAGE = "https://htcondor.readthedocs.io/en/latest/auto-redirect.html"
_SEVERAL_QUEUES = (
    "\nWarning: Use of multiple queue statements in a single submit file is deprecated."
    "\n         This functionality will be removed in the 25.x feature series. To see"
    "\n         how multiple queue statements can be converted into one visit:"
    f"\n{_HELP_PAGE}?category=example&tag=convert-multi-queue-statements\n"
)


#: So many jobs take a while to be queued.
_MANY = 5_000
#: Knobs by which jobs need credentials that they do not name.
_SITE_CREDENTIALS = (
    "SEC_CREDENTIAL_PRODUCER", "LOCAL_CREDMON_PROVIDER_NAMES", "LOCAL_CREDMON_PROVIDER_NAME",
    "SUBMIT_ADD_LOCAL_CREDMON_PROVIDER_NAMES",
)  # fmt: skip


class Run:
    """One submit: making the jobs, showing progress, giving them to the queue or to a file."""

    def __init__(self, request: Request, settings: SubmitSettings, pool: Pool) -> None:
        self.request = request
        self.settings = settings
        self.pool = pool
        self.progress: list[str] = []
        self.jobs = 0
        self.jobs_of_cluster = 0
        self.warnings: list[str] = []
        self.meter: Meter | None = None
        self.target: FileTarget | None = None
        #: (cluster, number of jobs) in order.
        self.clusters: list[tuple[int, int]] = []
        self.cluster_ads: list[Items] = []

    def submit(self, text: str, name: str) -> int:
        """Carry the request out; the exit code. Raises SubmitError."""
        from condor_py.client.progress import Meter
        from condor_py.client.surroundings import surroundings
        from condor_py.lang.submit.submit_file import parse as parse_description

        request = self.request
        self._header()
        file = parse_description(
            text,
            name,
            settings=self.settings,
            surroundings=surroundings(),
            defines=request.defines,
            appends=request.appends,
            queue_args=request.queue,
        )
        if not self._has_credentials(file):
            return 1
        self.meter = Meter(file.job_count, "jobs made", quiet=request.terse)
        try:
            if request.target is None:
                self._to_queue(file)
            else:
                self._to_file(file, request.target)
        finally:
            self.meter.done()
            if file.has_several_queues:
                sys.stdout.flush()
                sys.stderr.write(_SEVERAL_QUEUES)
        self._summary(file)
        return self._spool() if request.spool and request.target is None else 0

    def _has_credentials(self, file: SubmitFile) -> bool:
        """Whether the jobs have the credentials that they need; if not, the reason is written."""
        services = _wanted_tokens(file)
        config = self.pool.config
        of_site = any(config.string(knob) for knob in _SITE_CREDENTIALS)
        if not (services or of_site) or not file.statements:
            return True
        from condor_py.client.credentials import NoCredd, prepare

        try:
            prepare(self.pool, file, services.replace(",", " ").split())
        except CondorError as error:
            sys.stdout.write(f"Failed to process job credential requests: '{error}'; BAILING OUT.\n")
            if services and isinstance(error, NoCredd):
                sys.stderr.write(f"ERROR: use_oauth_services = {services}: no condor_credd answers in this pool\n")
            return False
        return True

    def _spool(self) -> int:
        """Copies the input files of the new jobs into the spool; the exit code."""
        from condor_py.client.progress import Meter
        from condor_py.client.spool_files import bring_files

        meter = Meter(self.jobs, "jobs spooled", quiet=self.request.terse)
        try:
            bring_files(self.pool, [cluster for cluster, _ in self.clusters], meter)
        except CondorError as error:
            meter.done()
            sys.stdout.flush()
            sys.stderr.write(f"\n{error}\nERROR: Failed to spool job files.\n")
            return 1
        meter.done()
        return 0

    def close(self) -> None:
        """Close the file that ads were written to."""
        if self.target is not None:
            self.target.close()

    # Making jobs

    def _options(self, user: str) -> BuildOptions:
        from condor_py.lang.submit.build import BuildOptions

        return BuildOptions(
            user=user,
            remote=self.request.spool,
            interactive=self.request.interactive,
            check_executable=self.request.dump is None,
            allow_crlf_script=self.request.allow_crlf,
            before_job=self._before_job,
            after_job=self._after_job,
        )

    def _before_job(self) -> None:
        request, settings = self.request, self.settings
        if 0 < request.max_jobs <= self.jobs:
            raise SubmitError(f"\nERROR: Number of submitted jobs would exceed -maxjobs ({request.max_jobs})\n")
        if request.target is None and self.jobs_of_cluster >= settings.max_jobs_per_submission:
            raise SubmitError(
                "\nERROR: Failed to create proc\nNumber of submitted jobs would exceed MAX_JOBS_PER_SUBMISSION\n"
            )
        if 0 < settings.max_procs_in_cluster <= self.jobs_of_cluster:
            raise SubmitError("\nERROR: number of procs exceeds SUBMIT_MAX_PROCS_IN_CLUSTER\n")
        if self.target is not None:
            self.target.begin_job()

    def _after_job(self, cluster: int, proc: int, ad: Attributes, own: Attributes) -> None:
        self.jobs += 1
        self.jobs_of_cluster = proc + 1
        request = self.request
        if self.meter is not None:
            self.meter.at(self.jobs)
        if self.target is not None:
            self.target.job(cluster, proc, ad, own)
        if request.dump == "-":
            return
        if request.verbose:
            self._show(f"\n** Proc {cluster}.{proc}:\n{_full_ad(cluster, proc, ad, own)}")
        elif not request.terse and "hash" not in request.dry_run_options:
            self._show(".")

    def _show(self, text: str) -> None:
        """Progress: at once where ads go to a file, after the commit (or failure) where they go to the queue."""
        if self.request.target is None:
            self.progress.append(text)
        else:
            sys.stdout.write(text)

    def _each_cluster(self, file: SubmitFile, first: int, make: Callable[[int, int], int]) -> None:
        """Call ``make`` (draft number, cluster number -> number of jobs) for each cluster, then the due failure."""
        from condor_py.lang.submit.build import clusters_of

        for number in range(1 if self.request.interactive else len(clusters_of(file))):
            if number and self.request.single_cluster:
                raise SubmitError(
                    "\nERROR: Number of submitted clusters would exceed 1 and -single-cluster was specified\n"
                )
            self.jobs_of_cluster = 0
            self.clusters.append((first + number, make(number, first + number)))
        if file.failure is not None:
            raise file.failure

    def _to_queue(self, file: SubmitFile) -> None:
        from condor_py.client.submission import SubmittedCluster
        from condor_py.lang.submit.build import clusters_of

        drafts = clusters_of(file)
        if not drafts:
            if file.failure is not None:
                raise file.failure
            return

        said = list(file.messages.items)

        def build(first: int, user: str, owner: str, _now: int) -> list[SubmittedCluster]:
            """The clusters of the file, numbered from ``first``."""
            file.messages.items[:] = said
            options = self._options(owner)
            self.progress.clear()
            self.clusters.clear()
            self.jobs = 0
            built: list[SubmittedCluster] = []

            def make(number: int, cluster: int) -> int:
                if self._is_factory(drafts):
                    built.append(self._factory_cluster(drafts[0], cluster, user, owner))
                    return drafts[0].job_count
                made = drafts[number].build(cluster, user, owner, options)
                built.append(SubmittedCluster(cluster, made.ad_items, made.procs))
                return len(made.procs)

            self._each_cluster(file, first, make)
            self.cluster_ads = [cluster.ad for cluster in built]
            return built

        if self.request.spool and self._is_factory(drafts):
            raise SubmitError(
                "\nERROR: jobs that the schedd makes later cannot be spooled: leave out -spool or the "
                "commands max_idle and max_materialize\n"
            )
        from condor_py.client import submitting

        try:
            with ExitStack() as rest:

                def build_then_tell(first: int, user: str, owner: str, now: int) -> list[SubmittedCluster]:
                    rest.close()
                    if self._is_factory(drafts):
                        self._show_queueing(rest, drafts[0].job_count)
                        return build(first, user, owner, now)
                    built = build(first, user, owner, now)
                    self._show_queueing(rest, self.jobs)
                    return built

                submitting.submit(self.pool, build_then_tell, lambda: self._rehearse(file))
            self.warnings = self.pool.warnings
        except CondorError as error:
            if isinstance(error, SubmitError):
                raise
            text = str(error)
            reason = text if text.startswith("Failed to commit") else _failed_step(error) + text.strip()
            raise SubmitError(f"\nERROR: {reason.removeprefix('ERROR: ')}\n") from None
        finally:
            sys.stdout.write("".join(self.progress))

    def _show_queueing(self, rest: ExitStack, count: int) -> None:
        """Show until ``rest`` is closed that so many jobs are being queued, if they are many."""
        if count >= _MANY and not self.request.terse:
            from condor_py.client.progress import ticking

            if self.meter is not None:
                self.meter.done()
            rest.enter_context(ticking(f"condor_submit: queueing {count:,} jobs"))

    def _rehearse(self, file: SubmitFile) -> int:
        """Makes the first job of each cluster, before a schedd is asked for their numbers: how many they are."""
        from condor_py.lang.submit.build import clusters_of

        drafts = clusters_of(file)
        said, options = list(file.messages.items), self._options(self.pool.owner)

        def make(number: int, cluster: int) -> int:
            drafts[number].make(cluster, options)
            return 0

        self._each_cluster(file, 1, make)
        count = len(self.clusters)
        file.messages.items[:] = said
        return count

    def _is_factory(self, drafts: list[ClusterDraft]) -> bool:
        """Whether the schedd makes the jobs: one queue statement that asks for it, and a schedd that allows it."""
        from condor_py.lang.submit.build import wants_factory

        if not self.settings.late_materialize or len(drafts) > 1 or len(drafts[0].statements) > 1:
            return False
        if self.request.interactive:
            return False
        return wants_factory(drafts[0]) or (self.request.factory and drafts[0].job_count > 1)

    def _factory_cluster(self, draft: ClusterDraft, cluster: int, user: str, owner: str) -> SubmittedCluster:
        from condor_py.client.submission import factory_cluster

        options = changed(self._options(owner), after_job=lambda _cluster, _proc, _ad, _own: None)
        made = draft.build_factory(cluster, user, owner, options)
        text = self._digest(draft, cluster)
        self.jobs += text.total
        return factory_cluster(self.pool.paths.spool, cluster, made.ad_items, text)

    def _digest(self, draft: ClusterDraft, cluster: int) -> FactoryText:
        """The digest and the items of a factory; ``-digest FILE`` keeps a copy of them, the items in FILE.items when
        nothing is submitted."""
        from condor_py.client.submission import factory_folder
        from condor_py.lang.submit.factory import make_text

        text = make_text(draft, cluster, factory_folder(self.pool.paths.spool, cluster))
        path = self.request.digest
        if path is not None:
            _write_copy(path, text.digest)
            if self.request.target is not None and text.items:
                _write_copy(f"{path}.items", text.items)
        return text

    def _to_file(self, file: SubmitFile, path: str) -> None:
        from condor_py.lang.submit.build import clusters_of

        drafts = clusters_of(file)
        self.target = target = FileTarget(self.request, path)
        options = self._options(_login_name())

        def make(number: int, cluster: int) -> int:
            """Write the ads of a cluster, and the set that it is in; return how many jobs it has."""
            draft = drafts[number]
            is_factory = self._is_factory(drafts)
            text = self._digest(draft, cluster) if is_factory else None
            if number == 0:
                target.show_queue(draft, None if text is None else text.digest)
            if is_factory:
                quiet = changed(options, before_job=lambda: None, after_job=lambda _cluster, _proc, _ad, _own: None)
                target.begin_job()
                made = draft.make(cluster, quiet)
                target.cluster(cluster, made.attributes)
                self.jobs += draft.job_count
                count = draft.job_count
            else:
                made = draft.make(cluster, options)
                count = sum(1 for _ in made.own)
            target.show_job_set(made.attributes)
            return count

        self._each_cluster(file, self.request.first_cluster, make)

    # Telling

    def _header(self) -> None:
        request = self.request
        if request.dump is not None:
            if request.dump != "-" and not request.terse:
                sys.stdout.write("Storing job ClassAd(s)")
        elif not request.is_stdin and not request.terse:
            sys.stdout.write("Dry-Run job(s)" if request.dry_run is not None else "Submitting job(s)")

    def _summary(self, file: SubmitFile) -> None:
        """Write what became of the jobs to standard output, and then what the user should know to standard error."""
        request = self.request
        err: list[str] = []
        if not self.jobs and not request.terse:
            shown = "(stdin)" if request.is_stdin else request.file or "(stdin)"
            err.append(f'\nWARNING: "{shown}" has only empty "queue" commands -- no jobs queued\n')
            err.extend(f"WARNING: {text}\n" for text in _empty_statements(file))
        if self.warnings:
            sys.stdout.flush()
            lines = ["Committed job submission into the queue with the following warning(s):", *self.warnings]
            sys.stderr.write("\n" + "".join(f"WARNING: {text}\n" for text in lines))
        if not request.is_stdin and not request.terse:
            sys.stdout.write("\n")
        if not request.verbose and request.dump != "-":
            self._write_clusters()
            if not request.terse and request.dry_run is None and self.clusters and not request.interactive:
                numbers = " ".join(str(cluster) for cluster, _ in self.clusters)
                err.append(f"To monitor your job(s), run: condor_watch_q -clusters {numbers}\n")
        if self.target is not None:
            self.target.finish()
        err.append(file.messages.warnings())
        if request.warn_unused and self.jobs:
            if request.verbose:
                sys.stdout.write("\n")
            err.extend(_unused_lines(file))
        sys.stdout.flush()
        sys.stderr.write("".join(err))
        if self.clusters and request.dry_run is None and self.target is None:
            self._say_what_keeps_jobs_waiting()

    def _write_clusters(self) -> None:
        request = self.request
        for cluster, count in self.clusters:
            if request.terse:
                sys.stdout.write(f"{cluster}.0 - {cluster}.{count - 1}\n")
            else:
                verb = "dry-run" if request.dry_run is not None else "submitted"
                sys.stdout.write(f"{count} job(s) {verb} to cluster {cluster}.\n")

    def _say_what_keeps_jobs_waiting(self) -> None:
        from condor_py.cli.idle_pool import say_when_nothing_runs

        say_when_nothing_runs(self.pool, on_screen=False)
        if sys.stderr.isatty():
            from condor_py.cli.waiting.terminal import say_what_cannot_run

            say_what_cannot_run(self.pool, [cluster for cluster, _ in self.clusters])


def _empty_statements(file: SubmitFile) -> Iterator[str]:
    """Each queue statement whose file, command or pattern has no items, with its line."""
    for statement in file.statements:
        if not statement.job_count and statement.args.mode in ("from", "matching"):
            yield f"Line {statement.line}: {statement.text.strip()}: there are no items"


def _unused_lines(file: SubmitFile) -> list[str]:
    """The warnings about unused lines, newest name first; on a terminal each with what may have been meant."""
    lines = []
    for name, text in reversed(file.unused().items()):
        lines.append(f"WARNING: {text}")
        meant = file.meant(name) if sys.stderr.isatty() else ""
        if meant:
            lines.append(f"         Did you mean {meant}?\n")
    return lines


def _wanted_tokens(file: SubmitFile) -> str:
    """The services of which jobs ask for OAuth tokens, as the first queue statement has them; "" without any."""
    names = ("use_oauth_services", "UseOAuthServices")
    return (file.macros(file.statements[0].table).param(*names) or "") if file.statements else ""


def _write_copy(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as stream:
            stream.write(text)
    except OSError as error:
        raise SubmitError(f"\nERROR: cannot write the digest to {path}: {error.strerror}\n") from None


def _failed_step(error: CondorError) -> str:
    """The line that condor_submit puts before the reason why a commit failed."""
    from condor_py.client.pool import NoSchedd

    if isinstance(error, NoSchedd):
        return "Failed to connect to local queue manager\n"
    return "Failed to create proc\n" if "would exceed" in str(error) else ""


def _login_name() -> str:
    """Return ``account_name`` of the caller, without loading its module."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


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
            self._stream.write(_proc_listing(cluster, proc, ad, own))
        else:
            self._full.append(_full_ad(cluster, proc, ad, own))

    def cluster(self, cluster: int, ad: Attributes) -> None:
        """A cluster whose jobs the schedd makes."""
        if self._full is None:
            self._stream.write(_cluster_listing(cluster, ad))

    def show_job_set(self, ad: Attributes) -> None:
        """Write the ad of the set that the jobs of a cluster are in, if the options ask for it."""
        if "jobset" in self._options:
            name = ad.get("jobsetname")
            lines = "" if name is None else f"{name[0]} = {name[1]}\n"
            sys.stdout.write(f"\n----- jobset -----\n{lines}-----\n")

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


def _proc_listing(cluster_id: int, proc: int, cluster: Attributes, own: Attributes) -> str:
    """Return the lines of one job in a dry-run: the cluster's attributes before job 0, then the job's own."""
    from condor_py.lang.submit.build import storage_order

    lines = []
    if proc == 0:
        lines.append(f"ClusterId={cluster_id}")
        lines.extend(f"{name}={text}" for name, text in storage_order(cluster))
    lines.append(f"ProcId={proc}")
    status = own.get("jobstatus")
    lines.append(f"JobStatus={status[1] if status else 1}")
    own = {key: item for key, item in own.items() if key != "jobstatus"}
    lines.extend(f"{name}={text}" for name, text in storage_order(own))
    return "\n".join(lines) + "\n"


def _cluster_listing(cluster_id: int, cluster: Attributes) -> str:
    """Return the lines in a dry-run of a cluster whose jobs the schedd makes: its attributes, except for the limit,
    which goes to the schedd separately."""
    from condor_py.lang.submit.build import storage_order

    shown = {key: item for key, item in cluster.items() if key != "jobmaterializelimit"}
    lines = [f"ClusterId={cluster_id}", *(f"{name}={text}" for name, text in storage_order(shown))]
    return "\n".join(lines) + "\n"


def _full_ad(cluster_id: int, proc: int, cluster: Attributes, own: Attributes) -> str:
    """Return the whole ad of a job, ``Name = value`` lines sorted by name without case."""
    numbers = {"clusterid": ("ClusterId", str(cluster_id)), "procid": ("ProcId", str(proc))}
    merged = {**cluster, **own, **numbers}
    return "".join(f"{merged[key][0]} = {merged[key][1]}\n" for key in sorted(merged))
