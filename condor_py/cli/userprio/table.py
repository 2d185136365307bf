"""The text of the priority table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from condor_py.cli.output.conversion import date
from condor_py.cli.output.terminal import cut, pad, text_width
from condor_py.cli.userprio.rows import Detail, Row, Table

_MAX_NAME = 99
_LAST_KEY = 3.40282001e38


class _Column(NamedTuple):
    detail: Detail
    width: int
    first: str
    second: str


_COLUMNS = (
    _Column(Detail.GROUP_ID, 5, "Group", "Id"),
    _Column(Detail.ORDER, 9, "Group", "Order"),
    _Column(Detail.SORT_KEY, 9, "Group", "Sort Key"),
    _Column(Detail.EFFECTIVE_QUOTA, 9, "Effective", "Quota"),
    _Column(Detail.CONFIG_QUOTA, 9, "Config", "Quota"),
    _Column(Detail.SURPLUS, 7, "Use", "Surplus"),
    _Column(Detail.SUBTREE_QUOTA, 9, "Subtree", "Quota"),
    _Column(Detail.PRIORITY, 12, "Effective", "Priority"),
    _Column(Detail.REAL_PRIORITY, 8, "Real", "Priority"),
    _Column(Detail.FACTOR, 9, "Priority", "Factor"),
    _Column(Detail.IN_USE, 6, "Wghted", "In Use"),
    _Column(Detail.TOTAL_USAGE, 12, "Total Usage", "(wghted-hrs)"),
    _Column(Detail.BEGIN, 16, "Usage", "Start Time"),
    _Column(Detail.LAST, 16, "Last", "Usage Time"),
    _Column(Detail.SINCE, 10, "Time Since", "Last Usage"),
    _Column(Detail.REQUESTED, 10, "Weighted", "Requested"),
    _Column(Detail.FLOOR, 9, "Submitter", "Floor"),
    _Column(Detail.CEILING, 9, "Submitter", "Ceiling"),
)


def lines(table: Table) -> Iterator[str]:
    """The lines of a table, without newlines."""
    columns = [column for column in _COLUMNS if column.detail & table.details]
    width = _name_width(table)
    yield f"Last Priority Update: {date(table.last_update)}"
    yield _join("Group" if table.hierarchical else "", width, [_centred(c.first, c.width) for c in columns])
    yield _join(_name_title(table), width, [_centred(c.second, c.width) for c in columns])
    rule = _join("-" * width, width, ["-" * c.width for c in columns])
    yield rule
    users: list[Row] = []
    for row in _visible(table, users):
        yield _join(_name(table, row), width, [_cell(c, row, table.last_update) for c in columns])
    yield rule
    shown = [] if table.hide_users else users
    yield _join(f"Number of users: {len(users)}", width, [_total(c, shown, table) for c in columns])


def _visible(table: Table, users: list[Row]) -> Iterator[Row]:
    """The rows to print; every user that is recent enough is added to ``users``."""
    hide_none = table.hide_none
    for row in table.rows:
        if row.last < table.since:
            continue
        if not row.is_group:
            users.append(row)
            if table.hide_users:
                continue
        else:
            if table.hide_groups or (not table.hierarchical and hide_none and row.group_id == 0):
                continue
            hide_none = False
        yield row


def _join(name: str, width: int, cells: list[str]) -> str:
    return " ".join([pad(cut(name, width), width, left=True), *cells])


def _name_title(table: Table) -> str:
    if table.hide_users:
        return "Name" if table.hierarchical else "Group Name"
    return "  User Name" if table.hierarchical else "User Name"


def _name_width(table: Table) -> int:
    longest = len(f"Number of users: {table.records}")
    for row in table.rows:
        if row.last < table.since:
            continue
        length = text_width(row.name)
        if table.hierarchical and not row.is_group:
            length += 2 - (text_width(row.group) if row.group_id else 0)
        longest = max(longest, min(length, _MAX_NAME))
    return longest + (2 if table.hierarchical else 0)


def _name(table: Table, row: Row) -> str:
    if not table.hierarchical or row.is_group:
        return row.name
    return "  " + (row.name[len(row.group) + 1 :] if row.group_id > 0 else row.name)


def _centred(text: str, width: int) -> str:
    return (" " * max(0, (width - len(text)) // 2) + text)[:width].ljust(width)


def _right(text: str, width: int) -> str:
    return text.rjust(width)[:width]


def _real(value: float, width: int, decimals: int) -> str:
    """A number; one that is too wide is shortened to significant digits."""
    text = f"{value:{width}.{decimals}f}"
    return _right(text if len(text) <= width else f"{value:.{max(0, width - 6)}g}", width)


def _day_and_time(moment: int) -> str:
    """``11/20/2026 23:18``; empty for a time that never was."""
    if moment <= 0:
        return ""
    local = time.localtime(moment)
    day = f"{local.tm_mon:2d}/{local.tm_mday:02d}/{local.tm_year:<4d}"
    return f"{day} {local.tm_hour:02d}:{local.tm_min:02d}"


def _since(seconds: int) -> str:
    """``  0+23:59``; ``<now>`` for no time at all."""
    if seconds <= 0:
        return "<now>"
    minutes = seconds // 60
    return f"{minutes // 1440:3d}+{minutes // 60 % 24:02d}:{minutes % 60:02d}"


_NUMBERS: dict[Detail, tuple[Callable[[Row], float], int]] = {
    Detail.GROUP_ID: (lambda row: float(row.group_id), 0),
    Detail.ORDER: (lambda row: row.order, 2),
    Detail.EFFECTIVE_QUOTA: (lambda row: row.effective_quota, 2),
    Detail.CONFIG_QUOTA: (lambda row: row.config_quota, 2),
    Detail.SUBTREE_QUOTA: (lambda row: row.subtree_quota, 2),
    Detail.PRIORITY: (lambda row: row.priority, 2),
    Detail.REAL_PRIORITY: (lambda row: row.priority / row.factor if row.factor > 0 else 0.0, 2),
    Detail.IN_USE: (lambda row: row.use, 0),
    Detail.REQUESTED: (lambda row: row.requested, 0),
    Detail.TOTAL_USAGE: (lambda row: row.accumulated / 3600.0, 2),
}


def _cell(column: _Column, row: Row, last_update: int) -> str:
    """One cell of a record, in its width."""
    detail, width = column.detail, column.width
    if not row.has & detail:
        no_data = row.is_group and detail & (Detail.QUOTAS | Detail.SORT_KEY)
        return _right("n/d" if no_data else "", width)
    if detail in _NUMBERS:
        value, decimals = _NUMBERS[detail]
        return _real(value(row), width, decimals)
    if detail is Detail.SURPLUS:
        return (row.surplus if row.group_id else "yes")[:width].ljust(width)
    if detail is Detail.SORT_KEY:
        return _real(row.sort_key, width, 2) if row.sort_key < _LAST_KEY else _right("<last>", width)
    if detail is Detail.BEGIN:
        return _right(_day_and_time(row.begin), width)
    if detail is Detail.LAST:
        return _right(_day_and_time(row.last), width)
    if detail is Detail.SINCE:
        return _right(_since(last_update - row.last), width)
    return _bound(detail, row, width)


def _bound(detail: Detail, row: Row, width: int) -> str:
    """Factor, ceiling and floor, which are blank when they say nothing."""
    if detail is Detail.FACTOR:
        shown, value = row.factor > 0, row.factor
    elif detail is Detail.CEILING:
        shown, value = row.ceiling > -1.0, row.ceiling
    else:
        shown, value = row.floor > 0.0, row.floor
    return _real(value, width, 2) if shown else " " * width


def _total(column: _Column, users: list[Row], table: Table) -> str:
    """One cell of the last line."""
    width = column.width
    if column.detail is Detail.SURPLUS:
        return table.surplus[:width].ljust(width)
    if column.detail is Detail.IN_USE:
        return _real(sum(row.use for row in users), width, 0)
    if column.detail is Detail.TOTAL_USAGE:
        return _real(sum(row.accumulated for row in users) / 3600.0, width, 2)
    if column.detail is Detail.LAST:
        return _right(_day_and_time(table.since), width)
    if column.detail is Detail.SINCE:
        return _right(_since(table.last_update - table.since) if table.since > 0 else "", width)
    return " " * width
