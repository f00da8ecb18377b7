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
    """The disk, object storage, or a permission on them, stands in the way."""


class LowSpaceError(DiskError):
    """The disk is not full yet, but what is left is kept back for the result itself."""


class TakenOverError(StoreError):
    """Another process writes this result by now: nothing of ours may follow."""
