"""The negotiator around its core."""
