"""Parts that every daemon has: its loop, its links, its configuration, its log."""
