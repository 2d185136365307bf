"""Writing a DAG down: its description for condor_dagman, and the submit descriptions of its layers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from condor_py.bindings.dags.dag import DAG, BaseNode, FinalNode, NodeLayer, Script, SubDAG
from condor_py.bindings.dags.edges import JoinFactory, JoinNode
from condor_py.bindings.dags.formatter import NodeNameFormatter, SimpleFormatter
from condor_py.bindings.dags.walk_order import WalkOrder
from condor_py.bindings.submit import Submit

DEFAULT_DAG_FILE_NAME = "dagfile.dag"
CONFIG_FILE_NAME = "dagman.config"
NOOP_SUBMIT_FILE_NAME = "__JOIN__.sub"
_JOIN = "__JOIN__"


def write_dag(
    dag: DAG,
    dag_dir: str | Path,
    dag_file_name: str | None = DEFAULT_DAG_FILE_NAME,
    node_name_formatter: NodeNameFormatter | None = None,
) -> Path:
    """Write a DAG into a directory, which is made; the path of its description, for ``Submit.from_dag``."""
    return DAGWriter(dag, node_name_formatter).write(dag_dir, dag_file_name)


#: A queue statement, which a Submit of the second version shows behind its commands.
_QUEUE = re.compile(r"^queue\b", re.IGNORECASE | re.MULTILINE)


class DAGWriter:
    """Writes one DAG once."""

    def __init__(self, dag: DAG, node_name_formatter: NodeNameFormatter | None = None) -> None:
        self.dag = dag
        self.node_name_formatter = node_name_formatter or SimpleFormatter()
        self.join_factory = JoinFactory()

    def write(self, dag_dir: str | Path, dag_file_name: str | None = DEFAULT_DAG_FILE_NAME) -> Path:
        """Write all files; the path of the description."""
        directory = Path(dag_dir).absolute()
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / (dag_file_name or DEFAULT_DAG_FILE_NAME)
        path.write_text("".join(f"{line}\n" for line in self.yield_dag_file_lines()), encoding="utf-8")
        self._write_submit_files(directory)
        if self.join_factory.joins:
            (directory / NOOP_SUBMIT_FILE_NAME).touch(exist_ok=True)
        if self.dag.dagman_config:
            knobs = [f"{name} = {value}" for name, value in self.dag.dagman_config.items()]
            (directory / CONFIG_FILE_NAME).write_text("\n".join(knobs), encoding="utf-8")
        return path

    def _write_submit_files(self, directory: Path) -> None:
        nodes: list[BaseNode] = [*self.dag.nodes]
        if self.dag._final_node is not None:
            nodes.append(self.dag._final_node)
        for node in nodes:
            description = getattr(node, "submit_description", None)
            if isinstance(description, Submit):
                text = str(description)
                if not _QUEUE.search(text):  # as in the first version of the bindings
                    text += "\nqueue"
                (directory / f"{node.name}.sub").write_text(text, encoding="utf-8")

    # -- the description ----------------------------------------------------------------------------------------------

    def yield_dag_file_lines(self) -> Iterator[str]:
        """The lines of the description."""
        yield "# BEGIN META"
        yield from self.yield_dag_meta_lines()
        yield "# END META"
        yield "# BEGIN NODES AND EDGES"
        for node in self.dag.walk(order=WalkOrder.BREADTH_FIRST):
            yield from self.yield_node_lines(node)
            yield from self.yield_edge_lines(node)
        for join in self.join_factory.joins:
            yield f"JOB {self._join_name(join)} {NOOP_SUBMIT_FILE_NAME} NOOP"
        yield "# END NODES AND EDGES"
        if self.dag._final_node is not None:
            yield "# FINAL NODE"
            yield from self.yield_node_lines(self.dag._final_node)
            yield "# END FINAL NODE"

    def yield_dag_meta_lines(self) -> Iterator[str]:
        """Yield the lines that apply to the DAG as a whole."""
        dag = self.dag
        if dag.dagman_config:
            yield f"CONFIG {CONFIG_FILE_NAME}"
        if dag.jobstate_log is not None:
            yield f"JOBSTATE_LOG {_word(dag.jobstate_log.as_posix())}"
        if dag.node_status_file is not None:
            status = dag.node_status_file
            words = ["NODE_STATUS_FILE", _word(status.path.as_posix())]
            words += [] if status.update_time is None else [str(status.update_time)]
            yield " ".join([*words, "ALWAYS-UPDATE"] if status.always_update else words)
        if dag.dot_config is not None:
            dot = dag.dot_config
            words = ["DOT", _word(dot.path.as_posix()), "UPDATE" if dot.update else "DONT-UPDATE"]
            words.append("OVERWRITE" if dot.overwrite else "DONT-OVERWRITE")
            yield " ".join([*words, *([] if dot.include_file is None else ["INCLUDE", dot.include_file.as_posix()])])
        for name, value in dag.dagman_job_attrs.items():
            yield f"SET_JOB_ATTR {name} = {value}"
        for category, most in dag.max_jobs_per_category.items():
            yield f"MAXJOBS {category} {most}"

    def yield_node_lines(self, node: BaseNode) -> Iterator[str]:
        """The lines of a layer, a sub-DAG or the final node. TypeError for anything else."""
        if isinstance(node, NodeLayer):
            yield from self._layer_lines(node)
        elif isinstance(node, SubDAG):
            name = self._name(node, 0)
            yield " ".join([f"SUBDAG EXTERNAL {name} {_word(node.dag_file)}", *_words(node, 0)])
            yield from _settings(node, name)
        elif isinstance(node, FinalNode):
            yield f"FINAL {node.name} {_word(_submit_file(node))}"
            yield from _settings(node, node.name)
        else:
            raise TypeError(f"{node} is no layer, sub-DAG or final node")

    def _layer_lines(self, layer: NodeLayer) -> Iterator[str]:
        for number, variables in enumerate(layer.vars):
            name = self._name(layer, number)
            yield " ".join([f"JOB {name} {_word(_submit_file(layer))}", *_words(layer, number)])
            if variables:
                texts = (f'{key}="{_quoted(value)}"' for key, value in variables.items())
                yield " ".join([f"VARS {name}", *texts])
            yield from _settings(layer, name)

    def yield_edge_lines(self, parent: BaseNode) -> Iterator[str]:
        """The edges from a node to its children."""
        for child in parent.children:
            edge = self.dag._edges.get(parent, child)
            if edge is None:
                continue
            for above, below in edge.get_edges(parent, child, self.join_factory):
                yield f"PARENT {self._names(parent, above)} CHILD {self._names(child, below)}"

    def _names(self, node: BaseNode, part: Iterable[int] | JoinNode) -> str:
        if isinstance(part, JoinNode):
            return self._join_name(part)
        return " ".join(self._name(node, number) for number in part)

    def _name(self, node: BaseNode, number: int) -> str:
        return self.node_name_formatter.generate(node.name, number)

    def _join_name(self, join: JoinNode) -> str:
        return self.node_name_formatter.generate(_JOIN, join.id)


def _submit_file(node: NodeLayer | FinalNode) -> str:
    description = node.submit_description
    return f"{node.name}.sub" if isinstance(description, Submit) else Path(description).absolute().as_posix()


def _quoted(value: object) -> str:
    return str(value).replace("\\", "\\\\").replace('"', '\\"')


def _word(path: object) -> str:
    """Return a path as one word of a DAG file: in quotes where it has spaces or quotes."""
    text = str(path)
    return f'"{_quoted(text)}"' if any(char in " \t\"'" for char in text) else text


def _words(node: BaseNode, number: int) -> Iterator[str]:
    if node.dir is not None:
        yield f"DIR {_word(node.dir)}"
    if node.noop.get(number, False):
        yield "NOOP"
    if node.done.get(number, False):
        yield "DONE"


def _settings(node: BaseNode, name: str) -> Iterator[str]:
    if node.retries is not None:
        unless = "" if node.retry_unless_exit is None else f" UNLESS-EXIT {node.retry_unless_exit}"
        yield f"RETRY {name} {node.retries}{unless}"
    for which, script in (("PRE", node.pre), ("POST", node.post)):
        if script is not None:
            yield _script(which, name, script)
    if node.pre_skip_exit_code is not None:
        yield f"PRE_SKIP {name} {node.pre_skip_exit_code}"
    if node.priority:
        yield f"PRIORITY {name} {node.priority}"
    if node.category is not None:
        yield f"CATEGORY {name} {node.category}"
    if node.abort is not None:
        value = node.abort.dag_return_value
        yield f"ABORT-DAG-ON {name} {node.abort.node_exit_value}{'' if value is None else f' RETURN {value}'}"


def _script(which: str, name: str, script: Script) -> str:
    again = ["DEFER", script.retry_status, script.retry_delay] if script.retry else []
    words = ["SCRIPT", *again, which, name, script.executable, *script.arguments]
    return " ".join(str(word) for word in words)
