"""The description of the JSON answers, for programs: made of the table of pages."""

from __future__ import annotations

from collections.abc import Mapping

from condor_py.cli.web.page import Data, Page, Parameter
from condor_py.model.version import CONDOR_VERSION


def description(pages: tuple[Page, ...]) -> Data:
    """Return the text of OpenAPI 3.1 about these pages, as data."""
    paths: Data = {}
    for page in pages:
        paths[f"/{page.name}"] = _path(page, page.title, page.schema, ())
        for place in page.places:
            paths["/".join((f"/{page.name}", *place.parts))] = _path(page, place.summary, place.schema, place.parts)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "condor_web",
            "version": CONDOR_VERSION.split()[1],
            "description": "The pages of condor_web as JSON: ask with `Accept: application/json` or `?format=json`. "
            "A person logs in with the address that `condor_web -login` prints.",
        },
        "paths": paths,
    }


def _path(page: Page, summary: str, schema: Mapping[str, object], parts: tuple[str, ...]) -> Data:
    inside = [
        {"name": part.strip("{}"), "in": "path", "required": True, "schema": {"type": "string"}}
        for part in parts
        if part.startswith("{")
    ]
    return {
        "get": {
            "summary": summary,
            "parameters": [*inside, *(_parameter(parameter) for parameter in page.parameters)],
            "responses": {
                "200": {"description": summary, "content": {"application/json": {"schema": schema}}},
                **{status: {"description": text} for status, text in _FAILURES.items()},
            },
        }
    }


_FAILURES = {
    "400": "A parameter has a value that it cannot have.",
    "401": "The person is not logged in.",
    "403": "The person may not see this.",
    "404": "There is nothing at this address.",
    "429": "Too many requests of the person wait.",
    "503": "The pool cannot be read.",
}


def _parameter(parameter: Parameter) -> Data:
    return {
        "name": parameter.name, "in": "query", "description": parameter.meaning, "schema": parameter.schema,
    }  # fmt: skip
