"""The language of .dag files: text in, typed commands and a `Dag` out.

``words`` splits lines as DAGMan does, ``reader`` joins them and makes a command of each (``commands``), ``build``
makes the `Dag` (``graph``) of one file or several, with splices and includes. A file is read in two passes: first the
commands that make nodes, then those that refer to them, so that the order of lines does not matter.
"""
