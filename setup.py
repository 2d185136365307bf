"""Builds the optional C extension; without a compiler the pure-Python twin is used."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "condor_py.accountant._kernel",
            sources=["condor_py/accountant/_kernel.c"],
            extra_compile_args=[
                "-O3",
                "-Wall",
                "-Wextra",
                "-Werror=implicit-function-declaration",
                "-ffp-contract=off",
            ],
            optional=True,
        ),
    ]
)
