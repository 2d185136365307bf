"""Nouns that every room shares: identifiers, states, codes, plans and reports. Imports nothing above it."""
