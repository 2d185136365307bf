"""Looks at the real machine: one probe a file, each with an injected reader, and the facts put together."""
