"""Completions of bash, zsh and fish, made from the tables of the tools.

Options and fixed words stand in the completions themselves; what changes (jobs, users, slots, knobs ...) is asked of
condor_complete, by the kinds that ``kinds_of_values`` and ``kind_of_words`` give.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from condor_py.cli.options import Opt, ToolSpec

_CHOICE = "choice "
_CHOICES = re.compile(r"[a-z0-9-]+(\|[a-z0-9-]+)+")
_ABOUT_MACHINES = ("condor_status", "condor_who")
#: What values of options are, by the name of the option; those of condor_status are about machines.
_OPTIONS = {
    "attributes": "attributes", "af": "attributes", "autoformat": "attributes", "aaf": "attributes",
    "attrs": "attributes",
    "constraint": "constraint", "slotconstraint": "machine-constraint", "mconstraint": "machine-constraint",
    "help-knob": "knobs", "machine": "slots", "hold_jid": "clusters", "A": "groups", "clusters": "clusters",
    "larger-than": "clusters", "jobids": "mine", "submitter": "users", "owner": "users", "users": "users", "Dag": "dag",
    "durations": "file", "writeconfig": "file",
}  # fmt: skip
#: Options of that name mean something else elsewhere.
_NOT_THESE = {
    "condor_off": ("constraint",), "condor_on": ("constraint",), "condor_run": ("A",), "condor_chirp": ("owner",),
    "condor_config_val": ("owner",), "condor_submit": ("A",),
}  # fmt: skip
#: What words without an option are, where the table of a tool does not tell.
_WORDS = {
    "condor_config_val": "knobs", "condor_status": "slots", "condor_userprio": "submitters", "condor_submit": "submit",
    "condor_submit_dag": "dag", "condor_dag_checker": "dag", "condor_history": "users", "condor_now": "jobs",
    "condor_tail": "jobs", "condor_ssh_to_job": "jobs", "condor_qedit": "mine", "condor_prio": "mine+users",
    "condor_q": "jobs+users", "condor_transfer_data": "mine+users",
}  # fmt: skip
#: Kinds after which more of the same word is typed.
_UNFINISHED = ("constraint", "machine-constraint", "submit")


def kinds_of_values(spec: ToolSpec, option: Opt) -> list[str]:
    """Return the kind of each value: a kind of condor_complete, "file", "dir", "dag", "choice ..." or ""."""
    words = (option.arg or "").split()
    kind = option.takes or _OPTIONS.get(option.name, "")
    if option.name in _NOT_THESE.get(spec.name, ()):
        kind = option.takes
    if spec.name in _ABOUT_MACHINES and kind in ("attributes", "constraint"):
        kind = f"machine-{kind}"
    if not kind and spec.name == "condor_userprio" and words and words[0] == "USER":
        kind = "submitters"
    if option.name == "format" and len(words) == 2:
        return ["", "machine-attributes" if spec.name in _ABOUT_MACHINES else "attributes"]
    if not kind and len(words) == 1 and _CHOICES.fullmatch(words[0]):
        kind = _CHOICE + words[0].replace("|", " ")
    return [kind if at == 0 else "" for at in range(len(words))]


def kind_of_words(spec: ToolSpec) -> str:
    """Return the kind of a tool's words that belong to no option."""
    if spec.name in _WORDS:
        return _WORDS[spec.name]
    return "mine+users" if "CLUSTER" in spec.positional else "file"


def _visible(spec: ToolSpec) -> list[Opt]:
    return [option for option in spec.options if not option.hidden]


# ---- bash ---------------------------------------------------------------------------------------------------

_BASH = """\
# bash completion for the condor_py tools; written by condor_py.cli.generate.
_condor_py() {
    local tool=${1##*/} word=${COMP_WORDS[COMP_CWORD]} line=${COMP_LINE:0:COMP_POINT}
    local options= words=file kind= option= place=0 at
    COMPREPLY=()
    case $word in
        [\\'\\"]*) word=${word#?} ;;
        *) word=${line##*[[:space:]]} ;; # names with @ and = are one word here
    esac
    case $tool in
%(tools)s
    esac
    for ((at = COMP_CWORD - 1; at > 0; at--)); do
        case ${COMP_WORDS[at]} in
            -*) option=${COMP_WORDS[at]} place=$((COMP_CWORD - at)); break ;;
        esac
    done
    case $tool:$option:$place in
%(values)s
    esac
    case $kind:$word in
        :-*) COMPREPLY=($(compgen -W "$options" -- "$word")); return ;;
        :*) kind=$words ;;
    esac
    case $kind in
        file) compopt -o default ;;
        dir) compopt -o dirnames ;;
        dag)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -X '!*.dag' -- "$word"; compgen -d -- "$word")
            ;;
        choice\\ *) COMPREPLY=($(compgen -W "${kind#choice }" -- "$word")) ;;
        *) _condor_py_ask "$1" "$kind" "$word" ;;
    esac
}
# What condor_complete, which lies beside the tool, offers for a word.
_condor_py_ask() {
    local helper=condor_complete before
    case $1 in */*) helper=${1%%/*}/condor_complete ;; esac
    mapfile -t COMPREPLY < <("$helper" "$2" "$3" 2>/dev/null)
    COMPREPLY=("${COMPREPLY[@]%%%%$'\\t'*}")
    if [ "$2" = submit ]; then
        [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$3")
    fi
    case $2 in %(unfinished)s) compopt -o nospace ;; esac
    compopt -o nosort 2>/dev/null
    case ${COMP_WORDS[COMP_CWORD]} in [\\'\\"]*) return ;; esac
    before=${3%%"${3##*[@=:]}"} # bash replaces only what is behind these, with the @
    COMPREPLY=("${COMPREPLY[@]#"${before%%@}"}")
}
complete -F _condor_py %(names)s
"""


def bash(tools: Sequence[ToolSpec]) -> str:
    """One function for all tools."""
    cases = []
    for spec in tools:
        options = " ".join(f"-{option.name}" for option in _visible(spec))
        words = kind_of_words(spec)
        kind = "" if words == "file" else f" words={words}"
        cases.append(f"        {spec.name}) options='{options}'{kind} ;;")
    values: dict[str, list[str]] = {}
    for spec in tools:
        for option in spec.options:
            for at, kind in enumerate(kinds_of_values(spec, option), 1):
                place = "*" if option.variadic else at
                if kind:
                    values.setdefault(kind, []).append(f"{spec.name}:-{option.name}:{place}")
    return _BASH % {
        "tools": "\n".join(cases),
        "values": "\n".join(f"        {'|'.join(found)}) kind='{kind}' ;;" for kind, found in values.items()),
        "unfinished": " | ".join(_UNFINISHED),
        "names": " ".join(spec.name for spec in tools),
    }


# ---- zsh ----------------------------------------------------------------------------------------------------

_ZSH = """\
#compdef %(names)s
# Written by condor_py.cli.generate.

# What condor_complete, which lies beside the tool, offers for a word.
_condor_py_ask() {
    local helper=condor_complete said
    local -a names told
    [[ $words[1] == */* ]] && helper=${words[1]:h}/condor_complete
    for said in "${(@f)$($helper $1 "$PREFIX" 2>/dev/null)}"; do
        [[ -n $said ]] || continue
        names+=("${said%%%%$'\\t'*}")
        told+=("${said//$'\\t'/  }")
    done
    local -a more
    case $1 in (%(unfinished)s) more=(-S '') ;; esac
    (( $#names )) && compadd -V condor -M 'm:{a-zA-Z}={A-Za-z}' -l -d told "${more[@]}" -a names
    [[ $1 == submit ]] && _files
}

case $service in
"""


def zsh(tools: Sequence[ToolSpec]) -> str:
    """``_arguments`` for each tool; HTCondor's options have one dash."""
    names = " ".join(spec.name for spec in tools)
    lines = [_ZSH % {"names": names, "unfinished": "|".join(_UNFINISHED)}]
    for spec in tools:
        lines.append(f"{spec.name})\n    _arguments \\\n")
        lines += [f"        {_zsh_option(spec, option)} \\\n" for option in _visible(spec)]
        lines.append(f"        '*:argument:{_zsh_action(kind_of_words(spec))}'\n    ;;\n")
    return "".join([*lines, "esac\n"])


def _zsh_action(kind: str) -> str:
    fixed = {"": " ", "file": "_files", "dir": "_files -/", "dag": '_files -g "*.dag"'}
    if kind.startswith(_CHOICE):
        return f"({kind.removeprefix(_CHOICE)})"
    return fixed.get(kind, f" _condor_py_ask {kind}")


def _zsh_option(spec: ToolSpec, option: Opt) -> str:
    help_text = option.help.replace("'", "").replace("[", "(").replace("]", ")").replace(":", ";")
    rest = "*-*:" if option.variadic else ""
    values = "".join(
        f":{rest}{_zsh_label(word)}:{_zsh_action(kind)}"
        for word, kind in zip((option.arg or "").split(), kinds_of_values(spec, option), strict=True)
    )
    return f"'*-{option.name}[{help_text}]{values}'"


def _zsh_label(word: str) -> str:
    return word.lower().replace(":", ";").replace("'", "")


# ---- fish ---------------------------------------------------------------------------------------------------

_FISH = """\
# fish completion for the condor_py tools; written by condor_py.cli.generate.

# What condor_complete, which lies beside the tool, offers for the word that is being typed. After an option that takes
# any number of words, named in the arguments with the kind of its words, it is that kind.
function __condor_py_ask
    set -l line (commandline -opc)
    set -l helper condor_complete
    string match -q '*/*' -- $line[1]; and set helper (string replace -r '[^/]*$' condor_complete -- $line[1])
    set -l kind $argv[1]
    set -l options (string match -e -r '^-' -- $line)
    if test (count $options) -gt 0
        set -l last (string replace -r ':.*' '' -- $options[-1])
        if set -l at (contains -i -- $last $argv)
            set kind $argv[(math $at + 1)]
        end
    end
    test "$kind" = file; or not command -q $helper; and return
    $helper $kind (string replace -r '^[\\'"]' '' -- (commandline -ct)) 2>/dev/null
end

function __condor_py_dags
    if set -l begun (string match -r -g '^[\\'"](.*)' -- (commandline -ct))
        set -l found $begun*.dag $begun*/
        printf '%s\\n' $found
        return
    end
    string match -e -r '(\\.dag|/)(\\t|$)' -- (__fish_complete_path (commandline -ct))
end

"""


def fish(tools: Sequence[ToolSpec]) -> str:
    """``complete -o`` for each option: fish's old-style options are HTCondor's."""
    lines = []
    for spec in tools:
        lines += [f"{line}\n" for line in _fish_words(spec)]
        for option in _visible(spec):
            help_text = option.help.replace("\\", "\\\\").replace("'", "\\'")
            lines.append(f"complete -c {spec.name} -o {option.name}{_fish_value(spec, option)} -d '{help_text}'\n")
    return _FISH + "".join(lines)


def _fish_words(spec: ToolSpec) -> Iterator[str]:
    kind = kind_of_words(spec)
    if kind == "dag":
        yield f"complete -c {spec.name} -x -a '(__condor_py_dags)'"
        return
    variadic = [
        f" -{option.name} {kinds[0]}"
        for option in _visible(spec)
        if option.variadic and (kinds := kinds_of_values(spec, option)) and kinds[0] not in ("", "file", "dag")
    ]
    if kind != "file" or variadic:
        files = "" if kind in ("file", "submit") else " -f"
        yield f"complete -c {spec.name}{files} -k -a '(__condor_py_ask {kind}{''.join(variadic)})'"


def _fish_value(spec: ToolSpec, option: Opt) -> str:
    if option.arg is None:
        return ""
    kind = next(iter(kinds_of_values(spec, option)), "")
    if kind in ("file", "dir"):
        return " -r"
    if kind == "dag":
        return " -x -a '(__condor_py_dags)'"
    if kind.startswith(_CHOICE):
        return f" -x -a '{kind.removeprefix(_CHOICE)}'"
    return f" -x -k -a '(__condor_py_ask {kind})'" if kind else " -x"
