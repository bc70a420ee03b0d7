"""The main content of a page: its article, without navigation, advertisements and the like.

By resiliparse, which builds a tree, and takes much longer than reading all text.
"""

from __future__ import annotations


def main_content(source: bytes) -> bytes:
    """The text of the article in an HTML page (UTF-8), its paragraphs separated by blank lines."""
    from resiliparse.extract.html2text import extract_plain_text  # loaded only if it is asked for
    from resiliparse.parse.html import HTMLTree

    try:
        tree = HTMLTree.parse_from_bytes(source, "utf-8")
    except ValueError as error:  # any bytes have a tree, so it had no room
        raise MemoryError(str(error)) from error
    text: str = extract_plain_text(tree, main_content=True, comments=False, alt_texts=False, list_bullets=False)
    return text.encode("utf-8", "replace")
