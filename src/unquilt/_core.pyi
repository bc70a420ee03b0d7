from collections.abc import Callable
from pathlib import Path
from typing import Any

UNICODE_VERSION: str

def run_map(
    name: str,
    parameters: dict[str, Any],
    ports: list[tuple[int, int]],
    columns: list[tuple[Any, ...]],
    beside: list[tuple[Any, ...]],
    sink: Callable[[int, int, bytes], None],
) -> dict[str, tuple[str, int]]: ...
def words(text: str) -> list[tuple[str, int, int]]: ...
def grams(text: str, k: int, *, circular: bool = False, key: bytes | None = None) -> list[int]: ...
def gram_columns(texts: tuple[Any, ...], k: int) -> tuple[bytes, bytes]: ...
def measure(texts: tuple[Any, ...]) -> tuple[bytes, bytes]: ...

class Partition:
    def __init__(self, budget: int, spill: str | Path) -> None: ...
    def push(self, table: int, block: bytes) -> None: ...
    def run(
        self,
        name: str,
        parameters: dict[str, Any],
        ports: list[tuple[int, int]],
        sink: Callable[[int, int, bytes], None],
    ) -> dict[str, tuple[str, int]]: ...
    def columns(self, fields: list[str]) -> list[tuple[Any, ...]]: ...
