"""Builds the optional C extensions (without a compiler their pure-Python twins are used), and installs the commands.

``CONDOR_PY_PURE=1`` in the environment makes a wheel without them, for every Python and machine; with
``CONDOR_PY_PURE=0`` a module in C that cannot be built is an error.
"""

import os
from glob import glob

from setuptools import Extension, setup

#: -ffp-contract=off: no fused multiply-add, so that results agree with the twins to the last bit.
FLAGS = ["-O3", "-Wall", "-Wextra", "-Werror=implicit-function-declaration", "-ffp-contract=off"]
CLASSAD_PARTS = (
    "module", "operate", "evaluate", "code", "call", "scan", "parse", "attributes", "bind",
    "write", "figures", "print", "names", "methods", "faces", "gather", "changes", "sent",
)  # fmt: skip
LOG_PARTS = (
    "reader", "ask", "sheet", "print", "unfold", "image", "questions", "columns", "scan", "index", "source", "submit",
    "events",
)  # fmt: skip

#: The commands of the checkout, and the file that they all source: it finds the interpreter and the package.
COMMANDS = ["bin/.condor_py", *sorted(glob("bin/condor_*")), "bin/classad_eval", "bin/htcondor"]

PURE = os.environ.get("CONDOR_PY_PURE") == "1"
OPTIONAL = os.environ.get("CONDOR_PY_PURE") != "0"

setup(
    scripts=COMMANDS,
    ext_modules=[]
    if PURE
    else [
        Extension(
            "condor_py.core.accounts._kernel",
            sources=["condor_py/core/accounts/_kernel.c"],
            extra_compile_args=[*FLAGS, "-fno-trapping-math"],
            optional=OPTIONAL,
        ),
        Extension(
            "condor_py.machine.probes._benchmark",
            sources=["condor_py/machine/probes/_benchmark.c"],
            extra_compile_args=["-O2", "-Wall", "-Wextra", "-Werror=implicit-function-declaration"],
            optional=OPTIONAL,
        ),
        Extension(
            "condor_py.machine.run._spawn",
            sources=["condor_py/machine/run/_spawn.c"],
            depends=["condor_py/machine/run/_spawn_namespaces.h"],
            extra_compile_args=["-O2", "-Wall", "-Wextra", "-Werror=implicit-function-declaration"],
            optional=OPTIONAL,
        ),
        Extension(
            "condor_py.store._logreader",
            sources=[f"condor_py/store/_log{part}.c" for part in LOG_PARTS],
            depends=[
                "condor_py/lang/classad/csrc/bindings.h",
                *(f"condor_py/store/_log{part}.h" for part in ("reader", "scan", "sheet", "source", "image")),
            ],
            extra_compile_args=["-O2", "-Wall", "-Wextra", "-Werror=implicit-function-declaration"],
            optional=OPTIONAL,
        ),
        Extension(
            "condor_py.lang.classad._native",
            sources=[f"condor_py/lang/classad/csrc/{part}.c" for part in CLASSAD_PARTS],
            depends=[f"condor_py/lang/classad/csrc/{part}.h" for part in ("native", "reader", "writer", "bindings")],
            extra_compile_args=FLAGS,
            optional=OPTIONAL,
        ),
    ],
)
