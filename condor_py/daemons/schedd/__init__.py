"""The schedd around its core."""
