"""Sub-DAGs: their submit files are made now with -do_recurse, or by condor_dagman when their node starts."""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.client.dag.files import DagFiles
from condor_py.client.dag.prepare import complain, say
from condor_py.lang.dag.commands import Node
from condor_py.lang.dag.keywords import Command
from condor_py.lang.dag.options import DagmanOptions
from condor_py.lang.dag.reader import FileProblem, Reader
from condor_py.model.arguments import join_v2

#: Runs condor_submit_dag with arguments; its exit code.
Run = Callable[[list[str]], int]


def sub_dags(options: DagmanOptions, run: Run) -> int:
    """Make the submit files of all sub-DAGs; 1 when one failed."""
    failed = 0
    for file in options.dag_files:
        try:
            text = DagFiles().read(os.path.join(os.getcwd(), file))
        except FileProblem as error:
            complain(f"Error reading DAG file: {error}")
            return 1
        for command in Reader(text, file, os.getcwd()).commands({Command.SUBDAG}):
            if isinstance(command, Node):
                failed |= sub_dag(options, command.submit, command.directory, options.numbers["Priority"], run)
    return failed


def sub_dag(
    options: DagmanOptions,
    file: str,
    directory: str,
    priority: int,
    run: Run,
    is_retry: bool = False,
    tell: Callable[[str], None] = say,
    deplore: Callable[[str], None] = complain,
) -> int:
    """Make the submit file of one sub-DAG, seen from ``directory`` ("" is where we are); 1 when that failed. ``tell``
    and ``deplore`` take the lines about it."""
    here = os.getcwd()
    if directory:
        try:
            os.chdir(directory)
        except OSError as error:
            text = f"Unable to chdir to {directory}: {error.strerror}"
            deplore(f"ERROR: Failed to change to node directory: {text}")
            return 1
    try:
        arguments = ["-no_submit", "-update_submit"]
        if options.on("Force") and not is_retry:
            arguments.append("-force")
        if priority:
            arguments += ["-Priority", str(priority)]
        arguments += [*options.deep_arguments(for_submit_file=False), file]
        tell(f"Recursive submit command: <{join_v2(['condor_submit_dag', *arguments])}>")
        if run(arguments) == 0:
            return 0
        deplore(f"ERROR: condor_submit_dag -no_submit failed on DAG file {file}.")
        return 1
    finally:
        os.chdir(here)
