"""What can go wrong with a result file, in words for the person who named it."""


class StoreError(Exception):
    """The result file cannot be used; the text says which and why."""


class HeldError(StoreError):
    """Another process writes this file."""


class NotAResultError(StoreError):
    """The file is missing, or not one of ours, or of another version."""


class QueryError(StoreError):
    """The SQL is not allowed, wrong, or took too long."""


class DiskError(StoreError):
    """The disk, or a permission on it, stands in the way."""
