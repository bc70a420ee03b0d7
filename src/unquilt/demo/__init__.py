"""A synthetic web of known make, for the demo and the benchmarks.

web        all pages, made from a seed
layout     the plan of the web
sites      hosts, domains, addresses, and templates
texts      articles, listings and pages of link farms
copies     pages made from other pages
manuals    manuals in many versions
language   sentences and titles
grammar    forms of words and patterns of sentences
words      lists of words
dice       random numbers that never change
report     planted pages against found pages
"""

from unquilt.demo.web import DemoPage, Planted, page, pages, planted, write_jsonl

__all__ = ["DemoPage", "Planted", "page", "pages", "planted", "write_jsonl"]
