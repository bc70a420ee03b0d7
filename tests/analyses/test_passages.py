"""Passages: what two documents share, and where it is."""

from __future__ import annotations

import pyarrow as pa

import unquilt

SHARED = "The old mill stood by the river. Its wheel had not turned for years. Nobody knew who owned it."


def pages(*texts: str) -> pa.Table:
    return pa.table({"id": [f"page{number}" for number in range(len(texts))], "text": list(texts)})


def test_a_passage_is_located_in_both_texts() -> None:
    texts = ("We went out early. " + SHARED + " Then it rained.", "Listen: " + SHARED + " It was sold.")
    for signature, gamma in (("imatch", 3), ("grams", 15)):
        (found,) = unquilt.passages(pages(*texts), signature=signature, gamma=gamma).passages.to_pylist()
        said = [texts[0][found["a_begin"] : found["a_end"]], texts[1][found["b_begin"] : found["b_end"]]]
        assert [each.rstrip(".") for each in said] == [SHARED.rstrip(".")] * 2
        assert (found["a"], found["b"], found["similarity"], found["words"]) == (0, 1, 1.0, 19)
