"""A synthetic web of known make, for the demo and the benchmarks: see `web`, `truth` and `jsonl`."""

from unquilt.demo.jsonl import write_jsonl
from unquilt.demo.truth import Planted, planted
from unquilt.demo.web import DemoPage, page, pages

__all__ = ["DemoPage", "Planted", "page", "pages", "planted", "write_jsonl"]
