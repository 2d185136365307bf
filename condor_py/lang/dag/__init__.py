"""The language of .dag files: text in, typed commands and a `Dag` out.

``words`` splits lines as DAGMan does, ``statements`` joins them, ``parse`` makes a command of each (``commands``),
``build`` makes the `Dag` (``graph``) of one file or several, with splices and includes. A file is taken in two passes:
first what makes nodes, then what speaks of them, so that the order of lines does not matter.
"""
