"""Errors of a DAG that a program describes."""

from __future__ import annotations


class DAGsException(Exception):
    """Base of these errors."""


class OneToOneEdgeNeedsSameNumberOfVars(DAGsException):
    """Two layers of different size cannot be joined node by node."""


class IncompatibleGrouper(DAGsException):
    """Layers that do not divide into the same number of whole chunks."""


class DuplicateNodeName(DAGsException):
    """A second node of the same name."""


class UnrecognizedWalkOrder(DAGsException):
    """An order that is no WalkOrder."""


class LayerNameContainsSeparator(DAGsException):
    """A layer whose nodes' names could not be taken apart again."""


class NoRescueFileFound(DAGsException):
    """There is no rescue file where one was looked for."""


class CannotInvertFormat(DAGsException):
    """A name that does not lead back to its layer and number."""
