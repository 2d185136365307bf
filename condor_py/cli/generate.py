"""Writes what is generated from the tables of the tools: ``python -m condor_py.cli.generate [ROOT]``.

``man/man1/*.1``, ``man/man5/condor_submit_description.5`` and
``completions/condor.{bash,zsh,fish}``, and the names that condor_complete knows. The help inside the man pages is what
typer lays out.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence

from condor_py.cli.application import specs
from condor_py.cli.command import spelling
from condor_py.cli.nouns.parser import nouns_and_verbs
from condor_py.cli.options import Opt, ToolSpec, match_option
from condor_py.cli.submit import language
from condor_py.model.version import HTCONDOR_DATE, HTCONDOR_VERSION

#: Bytes of a line of text in a page; mandoc asks for no more than 80.
_LINE = 76
#: What may be completed as a name.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


def generate(tools: Sequence[ToolSpec]) -> dict[str, str]:
    """Path (relative to the repository) -> text of every generated file."""
    files = {f"man/man1/{spec.name}.1": man_page(spec) for spec in tools}
    files[f"man/man5/{language.TITLE}.5"] = language_page()
    files["completions/condor.bash"] = bash(tools)
    files["completions/condor.zsh"] = zsh(tools)
    files["completions/condor.fish"] = fish(tools)
    files["condor_py/cli/complete/names.txt"] = completion_names()
    files["tests/golden/tools/options.txt"] = "".join(map(spellings, tools))
    return files


def main(argv: Sequence[str]) -> int:
    """Write the files below ``argv[0]`` (default: the repository of this module)."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    root = argv[0] if argv else here
    for path, text in generate(specs()).items():
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


def spellings(spec: ToolSpec) -> str:
    """Return all options that a command accepts, a line each: shortest[rest], values, errors. A reviewer sees there
    which command lines of users a change of a table concerns."""
    lines = [f"{spec.name}: {spec.unknown!r}, {spec.missing!r}, {spec.invalid!r}"]
    for option in spec.options:
        shortest = option.name[: option.min_length or None]
        rest = option.name.removeprefix(shortest)
        value = "" if option.arg is None else f" {option.arg}{'...' * option.variadic}{'?' * option.optional}"
        facts = {
            "colon": option.colon,
            "is": option.same_as,
            "hidden": option.hidden,
            "may begin with a dash": option.dash_value,
            "missing": option.missing,
            "invalid": option.invalid,
        }
        notes = "".join(f", {name}" if fact is True else f", {name} {fact!r}" for name, fact in facts.items() if fact)
        lines.append(f"    -{shortest}{f'[{rest}]' if rest else ''}{value}{notes}")
    return "\n".join(lines) + "\n"


# ---- man pages ----------------------------------------------------------------------------------------------


def man_page(spec: ToolSpec) -> str:
    """The manual page of a tool in roff."""
    title = spec.name.upper()
    lines = [
        f'.TH {title} 1 "{HTCONDOR_DATE}" "condor_py {HTCONDOR_VERSION}" "HTCondor for one machine"',
        ".SH NAME",
        _folded(f"{_roff(spec.name)} \\- {_roff(_sentence(spec.summary))}"),
        ".SH SYNOPSIS",
        f".B {_roff(spec.name)}",
        _filled(spec.usage),
        ".SH DESCRIPTION",
        _filled(f"{spec.summary} {spec.description}".strip()),
    ]
    if spec.positional_help:
        lines += [".SH ARGUMENTS", ".TP", f".I {_roff(spec.positional)}", _filled(spec.positional_help)]
    for group, options in _groups(spec).items():
        lines += [f".SH {group.upper()}"]
        for option in options:
            lines += [".TP", f".B {_roff(spelling(option))}", _filled(_explain(spec, option))]
    if spec.examples:
        lines.append(".SH EXAMPLES")
        for command, meaning in spec.examples:
            lines += [".TP", f".B {_roff(command)}", _filled(meaning)]
    for heading, text in spec.sections() if callable(spec.sections) else spec.sections:
        lines += [f".SH {heading}", ".nf", *map(_roff, text.strip("\n").split("\n")), ".fi"]
    lines += [".SH EXIT STATUS", _filled(spec.exit_status)]
    if spec.see_also:
        lines += [".SH SEE ALSO", ",\n".join(_reference(name) for name in spec.see_also)]
    return "\n".join(lines) + "\n"


def language_page() -> str:
    """The manual page of the submit language in roff."""
    title = language.TITLE
    lines = [
        f'.TH {title.upper()} 5 "{HTCONDOR_DATE}" "condor_py {HTCONDOR_VERSION}" "HTCondor for one machine"',
        ".SH NAME",
        _folded(f"{_roff(title)} \\- {_roff(language.SUMMARY)}"),
    ]
    for heading, items in language.page():
        lines.append(f".SH {heading}")
        for term, text in items:
            lines += [".TP", f".B {_roff(term)}", _filled(text)] if term else [_filled(text)]
    lines += [".SH SEE ALSO", ", ".join(_reference(name) for name in ("condor_submit", "condor_config(5)"))]
    return "\n".join(lines) + "\n"


def _reference(name: str) -> str:
    """A page of section 1, or of the section that ``name`` ends with: ``condor_config(5)``."""
    page, _, section = name.rstrip(")").partition("(")
    return f"\\fB{_roff(page)}\\fR({section or '1'})"


def _groups(spec: ToolSpec) -> dict[str, list[Opt]]:
    groups: dict[str, list[Opt]] = {}
    for option in spec.options:
        if not option.hidden and not option.same_as:
            groups.setdefault(option.group, []).append(option)
    return groups


def _explain(spec: ToolSpec, option: Opt) -> str:
    others = [f"-{other.name}" for other in spec.options if other.same_as == option.name]
    text = option.help[:1].upper() + option.help[1:] + "." if option.help else ""
    short = _shortest(spec, option)
    if short != option.name:
        text += f" Short form: -{short}."
    if others:
        text += f" Also spelled {', '.join(others)}."
    return text.strip()


def _shortest(spec: ToolSpec, option: Opt) -> str:
    """The shortest spelling that the parser takes for ``option``."""
    for length in range(max(1, option.min_length), len(option.name)):
        found = match_option(spec.options, "-" + option.name[:length])
        if found is not None and found[0] is option:
            return option.name[:length]
    return option.name


def _sentence(text: str) -> str:
    text = text.rstrip(".")
    return text[:1].lower() + text[1:]


def _roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def _filled(text: str) -> str:
    """Running text in lines of at most 80 bytes."""
    return _folded(_roff(text))


def _folded(text: str) -> str:
    """Lines of at most 80 bytes, none of which roff takes for a request."""
    import textwrap

    lines = textwrap.wrap(text, _LINE, break_long_words=False, break_on_hyphens=False)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


# ---- names that condor_complete knows -----------------------------------------------------------------------


def completion_names() -> str:
    """``KIND NAME`` a line: attributes, knobs and submit commands, which do not change while a pool runs."""
    from condor_py.lang.config.params import FOLDER
    from condor_py.model import attributes

    kinds = {
        "attributes": attributes.JOB,
        "knobs": {name for table in sorted(os.listdir(FOLDER)) for name in _first_fields(os.path.join(FOLDER, table))},
        "machine-attributes": attributes.MACHINE,
        "submit": _submit_commands(),
    }
    lines = [f"{kind} {name}\n" for kind, names in kinds.items() for name in sorted(names, key=str.lower)]
    return "".join([*lines, *(f"{line}\n" for line in nouns_and_verbs())])


def _first_fields(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8") as table:
        rows = (line.split("\t")[0].strip() for line in table if not line.startswith("# "))
        yield from (name for name in rows if _NAME.fullmatch(name))


def _submit_commands() -> set[str]:
    """The names that the page of the submit language explains."""
    terms = (term.partition(" ")[0] for _, items in language.page() for term, _ in items)
    return {term for term in terms if _NAME.fullmatch(term)}


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
    "condor_q": "jobs+users", "condor_transfer_data": "mine+users", "condor_qusers": "users",
    "condor_evicted_files": "mine", "condor_fetchlog": "", "condor_gather_info": "", "condor_pool_job_report": "",
}  # fmt: skip
#: The command whose words are nouns and verbs, which condor_complete knows.
_NOUNS = "htcondor"
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
    if [ "$tool" = htcondor ]; then # a noun, a verb, and what that takes
        kind=htcondor
        for ((at = 1; at < COMP_CWORD; at++)); do
            case $kind:${COMP_WORDS[at]} in */*/*:* | *:-*) ;; *) kind=$kind/${COMP_WORDS[at]} ;; esac
        done
    fi
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
# What condor_complete, which is next to the tool, offers for a word.
_condor_py_ask() {
    local helper=condor_complete before
    case $1 in */*) helper=${1%%/*}/condor_complete ;; esac
    mapfile -t COMPREPLY < <("$helper" "$2" "$3" 2>/dev/null)
    COMPREPLY=("${COMPREPLY[@]%%%%$'\\t'*}")
    if [ "$2" = submit ]; then
        [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$3")
    fi
    case $2:${#COMPREPLY[@]} in htcondor/*/*:0) compopt -o default ;; esac
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
        if spec.name == _NOUNS:
            continue
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

# What condor_complete, which is next to the tool, offers for a word.
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
_ZSH_NOUNS = """\
htcondor)
    local kind=htcondor word
    for word in "${(@)words[2,CURRENT-1]}"; do
        [[ $word == -* || $kind == */*/* ]] || kind+=/$word
    done
    _condor_py_ask $kind
    [[ $kind == */*/* ]] && (( ! compstate[nmatches] )) && _files
    ;;
"""


def zsh(tools: Sequence[ToolSpec]) -> str:
    """``_arguments`` for each tool; HTCondor's options have one dash."""
    names = " ".join(spec.name for spec in tools)
    lines = [_ZSH % {"names": names, "unfinished": "|".join(_UNFINISHED)}]
    for spec in tools:
        if spec.name == _NOUNS:
            lines.append(_ZSH_NOUNS)
            continue
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

# What condor_complete, which is next to the tool, offers for the word that is being typed. After an option that takes
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

# The nouns of htcondor, their verbs, and what those take.
function __condor_py_nouns
    set -l kind htcondor
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or string match -q '*/*/*' $kind; or set kind $kind/$word
    end
    set -l found (__condor_py_ask $kind)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else if string match -q '*/*/*' $kind
        __fish_complete_path (commandline -ct)
    end
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
        if spec.name == _NOUNS:
            lines.append(f"complete -c {_NOUNS} -f -k -a '(__condor_py_nouns)'\n")
            continue
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
