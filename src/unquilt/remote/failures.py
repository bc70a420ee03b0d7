"""What fails at a store: tried again if that may help, and told in one line.

Libraries say what went wrong in many words, and each in its own. They are told apart by these words, since there is
nothing else. What nobody foresaw is told in the library's words, cut to one line.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import pyarrow as pa

from unquilt.errors import PlaceError, UnquiltError

Result = TypeVar("Result")

PAUSES = (0.5, 2.0)
"""Seconds before another try of what Arrow's S3 does not try again by itself."""
_CREDENTIALS = (
    *("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"),
    *("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
)
_AGAIN = "run again later: what is done is kept"


class Reason(NamedTuple):
    """Why something failed: how libraries say it, and how we do; `passing`, if trying again may help."""

    said: re.Pattern[str]
    says: str
    passing: bool = False


def _said(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), re.IGNORECASE)


_DENIED = "access is denied"
_HALF_FULL = "Failed to flush response stream"
_REASONS = (
    Reason(
        _said(
            "NO_SUCH_BUCKET",
            "NoSuchBucket",
            "RESOURCE_NOT_FOUND during List",
            "Bucket '.{1,100}' not found",
            "bucket does not exist",
        ),
        "there is no such bucket; check its name, and AWS_ENDPOINT_URL if the store is not Amazon's",
    ),
    Reason(
        _said(
            *("ACCESS_DENIED", "ACCESS_KEY", "SIGNATURE_DOES_NOT_MATCH", "UNRECOGNIZED_CLIENT", "EXPIRED_TOKEN"),
            *("status:? 40[13]", "40[13] Client", "Forbidden", "Permission ?Denied", "Unauthenticated", "Unauthorized"),
        ),
        _DENIED,
    ),
    Reason(
        _said(
            "SLOW_DOWN",
            "THROTTLING",
            "SERVICE_UNAVAILABLE",
            "INTERNAL_FAILURE",
            "status:? (5\\d\\d|429)",
            "50\\d Server",
        ),
        f"the store is busy or out of order, time after time; {_AGAIN}",
        passing=True,
    ),
    Reason(
        _said("curlCode: 28", "time-?out", "timed out"),
        f"no answer in time, time after time; check the network and the address, or {_AGAIN}",
        passing=True,
    ),
    Reason(
        _said("NETWORK_CONNECTION", "curlCode", "connection", "connect to", "resolve"),
        f"no connection, time after time; check the network and the address (AWS_ENDPOINT_URL), or {_AGAIN}",
        passing=True,
    ),
)


class CutOffError(OSError):
    """A store has sent fewer bytes than it had promised."""


@contextmanager
def explaining(url: str) -> Iterator[None]:
    """Failures of the block become a PlaceError of one line; that there is no such file stays as it is."""
    try:
        yield
    except (UnquiltError, FileNotFoundError, MemoryError):
        raise
    except (OSError, pa.ArrowException, ValueError, RuntimeError) as error:
        raise explain(error, url) from error


def explain(error: Exception, url: str) -> PlaceError:
    """The one line for a failure."""
    name = url if url.isprintable() else ascii(url)
    if isinstance(error, CutOffError):
        return PlaceError(f"{name}: the store's answer was cut off, time after time; {_AGAIN}")
    said = " ".join(str(error).split())
    reason = _find(said)
    if reason is None:
        return PlaceError(f"{name}: the store says: {said[:300]}")
    if reason.says is _DENIED:
        return PlaceError(f"{name}: {_DENIED}; {_advise(url)}")
    return PlaceError(f"{name}: {reason.says}")


def _find(said: str) -> Reason | None:
    return next((reason for reason in _REASONS if reason.said.search(said)), None)


def _advise(url: str) -> str:
    if not url.startswith("s3://"):
        return "check what your credentials may do there"
    if _has_credentials():
        return "check what these credentials may do there (AWS_ACCESS_KEY_ID, AWS_PROFILE), or whether they are over"
    return "no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"


def patiently(url: str, request: Callable[[], Result]) -> Result:
    """The result of a request, which is made again a few times if it fails for a reason that may pass."""
    for pause in (*PAUSES, None):
        try:
            return request()
        except (UnquiltError, FileNotFoundError, MemoryError):
            raise
        except (OSError, pa.ArrowException, ValueError, RuntimeError) as error:
            if pause is None or not _may_pass(error, url):
                raise explain(error, url) from error
            time.sleep(pause)
    raise AssertionError


def _may_pass(error: Exception, url: str) -> bool:
    """Whether to try again here. Arrow's S3 has tried by itself; but it does not notice each body that is cut off, and
    fails when it asks for others again, as there is no room behind the part that has come."""
    if isinstance(error, CutOffError) or _HALF_FULL in str(error):
        return True
    reason = _find(str(error))
    return reason is not None and reason.passing and not url.startswith("s3://")


def _has_credentials() -> bool:
    """Whether anything says by which credentials to ask an S3 store, apart from the role of the machine."""
    files = [os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or "~/.aws/credentials", "~/.aws/config"]
    return any(map(os.environ.get, _CREDENTIALS)) or any(Path(file).expanduser().exists() for file in files)
