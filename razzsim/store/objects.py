"""Object storage through Arrow: objects at s3://BUCKET/KEY, each of them whole or absent.

Where it is and who asks comes from the usual variables: AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and so on.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from razzsim.store.errors import DiskError

_SCHEME = "s3://"
_TRIES = 5
"""Arrow's 3 give up on a server that is away for longer than a tenth of a second; these take some seconds."""


def is_uri(place: str | Path | None) -> bool:
    """Whether a place is in object storage."""
    return str(place).startswith(_SCHEME)


def filesystem() -> Any:
    """Arrow's file system for object storage. Raises DiskError when the variables make no sense."""
    # Arrow's SDK does not read the endpoint's variable itself.
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    with reaching(endpoint or _SCHEME):
        return _filesystem(endpoint)


@cache
def _filesystem(endpoint: str | None) -> Any:
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

    retries = AwsStandardS3RetryStrategy(max_attempts=_TRIES)
    # Opened late, a small object takes one request instead of three.
    return S3FileSystem(endpoint_override=endpoint, retry_strategy=retries, allow_delayed_open=True)


def path_of(uri: str) -> str:
    """BUCKET/KEY: what Arrow's file system calls it."""
    return uri.removeprefix(_SCHEME)


@contextmanager
def reaching(place: str) -> Iterator[None]:
    """What Arrow says of object storage, as DiskError in one line."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: Arrow's, of a bucket's name or an endpoint
        words = " ".join(str(error).split()).partition(" (Request ID")[0]
        raise DiskError(f"{place}: cannot be reached: {words[:300]}") from None


def put(path: Path, uri: str) -> None:
    """Upload a file."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as file:
        write(uri, file.read_buffer())


def write(uri: str, content: Any) -> None:
    """Make or replace an object, content: bytes or an Arrow buffer.

    In one call: Arrow closes a stream that is left because of an error too, and half an object would be there.
    """
    with reaching(uri), filesystem().open_output_stream(path_of(uri)) as stream:
        stream.write(content)


def get(uri: str, path: Path) -> bool:
    """Download an object into a new file; False when there is none. On a full disk the file may be cut short."""
    from pyarrow.fs import LocalFileSystem, copy_files

    if modified(uri) is None:
        return False
    with reaching(uri):
        source, target = filesystem(), LocalFileSystem()
        copy_files(path_of(uri), str(path), source_filesystem=source, destination_filesystem=target)
    return True


def read(uri: str) -> bytes | None:
    """A small object's content; None when there is none."""
    with reaching(uri):
        try:
            with filesystem().open_input_stream(path_of(uri)) as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            return None


def modified(uri: str) -> datetime | None:
    """When an object was written, by the server's clock, to the second; None when there is none."""
    with reaching(uri):
        info = filesystem().get_file_info(path_of(uri))
        return info.mtime if info.is_file else None


def names(folder: str) -> list[str]:
    """Names of the objects in a folder; none when there is no such folder."""
    from pyarrow.fs import FileSelector

    with reaching(folder):
        infos = filesystem().get_file_info(FileSelector(path_of(folder), allow_not_found=True))
    return sorted(info.base_name for info in infos if info.is_file)


def delete(uri: str) -> None:
    """Remove an object, if it is there."""
    with reaching(uri), suppress(FileNotFoundError):
        filesystem().delete_file(path_of(uri))
