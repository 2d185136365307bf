"""Functions that expressions may call where CLASSAD_USER_PYTHON_MODULES names this module."""


def size(megabytes: int) -> str:
    """Name a size of memory."""
    return "small" if megabytes < 1000 else "large"
