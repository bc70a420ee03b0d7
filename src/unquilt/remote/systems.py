"""The file system of a URL: Arrow's for s3, gs and hdfs, Hugging Face's own for hf.

Settings are those that everybody uses: for s3 AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or the role of
the machine; AWS_ENDPOINT_URL (or AWS_ENDPOINT_URL_S3) for a store that is not Amazon's, with AWS_REGION if it needs
that; AWS_NO_SIGN_REQUEST=yes for a public bucket without credentials.
"""

from __future__ import annotations

import atexit
import gc
import os
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache
from typing import Any

from unquilt.errors import MissingDependencyError, PlaceError
from unquilt.remote.failures import explaining
from unquilt.remote.names import split

ATTEMPTS = 4
"""How often a request is made before it has failed."""
CONNECTING, ANSWERING = 3.0, 5.0
"""Seconds to wait for a connection, and for the next byte."""
PATIENCE = 15.0
"""Seconds for which Arrow's gs tries again."""
_SETTINGS = ("AWS_", "GOOGLE_", "HADOOP_", "HF_")
_ASKED = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_NO_SIGN_REQUEST")
_NO = ("", "0", "no", "false")


def connect(url: str, *, small: bool = False) -> tuple[Any, str]:
    """The file system of a URL, and the path that the URL has there. PlaceError if there is none. `small` is for small
    objects: at S3, one request writes them, not three."""
    scheme, authority, key = split(url)
    with explaining(url):
        settings = tuple(os.environ.get(name, "") for name in _ASKED) if scheme == "s3" else ()
        system = _open_system(scheme, authority, settings, small=small and scheme == "s3")
    key = key.rstrip("/")
    if scheme == "hdfs":
        return system, f"/{key}"
    return system, f"{authority}/{key}" if key else authority


@lru_cache(maxsize=64)
def _open_system(scheme: str, authority: str, settings: tuple[str, ...], *, small: bool) -> Any:
    """Opened once for each bucket or host, and for each setting of the environment."""
    if scheme == "s3":
        return _open_s3(authority, *settings, small=small)
    if scheme == "hf":
        return _open_hf()
    from pyarrow import fs

    if scheme == "gs":
        system = fs.GcsFileSystem(retry_time_limit=timedelta(seconds=PATIENCE))
        _wait_for(lambda: system.get_file_info(authority))
        return system
    return fs.FileSystem.from_uri(f"{scheme}://{authority}")[0]


def _open_s3(bucket: str, own: str, general: str, region: str, default: str, unsigned: str, *, small: bool) -> Any:
    try:
        from pyarrow import fs
        from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem, resolve_s3_region
    except ImportError as error:
        raise PlaceError(f"s3://{bucket}: this pyarrow was built without S3; install the one of PyPI") from error
    atexit.register(_forget)
    endpoint = own or general
    scheme, _, host = endpoint.partition("://") if "://" in endpoint else ("https", "", endpoint)
    opened: fs.FileSystem = S3FileSystem(
        region=region or default or "us-east-1" if endpoint else resolve_s3_region(bucket),
        endpoint_override=host.rstrip("/") or None,
        scheme=scheme,
        anonymous=unsigned.lower() not in _NO,
        connect_timeout=CONNECTING,
        request_timeout=ANSWERING,
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
        allow_delayed_open=small,
    )
    return opened


def name_settings() -> list[str]:
    """What the environment says of stores: a process that was started with other settings would ask elsewhere."""
    return [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(_SETTINGS)]


def _forget() -> None:
    """Lets go of all file systems before Arrow ends the threads that they use."""
    _open_system.cache_clear()
    gc.collect()


def _wait_for(contact: Callable[[], object]) -> None:
    """The first request, which is given up after a while: without credentials, Google's library asks for some for
    minutes."""
    failed: list[Exception] = []

    def ask() -> None:
        try:
            contact()
        except Exception as error:  # noqa: BLE001 - raised below
            failed.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(2 * PATIENCE - 5)
    if thread.is_alive():
        raise TimeoutError("timed out")
    if failed:
        raise failed[0]


def _open_hf() -> Any:
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    try:
        from huggingface_hub import HfFileSystem
    except ImportError as error:
        raise MissingDependencyError("hf:// needs huggingface_hub: pip install 'unquilt[hf]'") from error
    return PyFileSystem(FSSpecHandler(HfFileSystem()))
