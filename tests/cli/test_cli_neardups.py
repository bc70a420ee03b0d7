"""`unquilt neardups`: what is printed is true, and what cannot be done is said in one line."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from quilting import stop_after_rehearsal

import unquilt
from unquilt.analyses.catalogue import find_table
from unquilt.analyses.neardups import compare
from unquilt.cli import cli


def draw(random: Random, words: int = 120) -> list[str]:
    return ["".join(random.choices("abcdefghijklmnop", k=6)) for _ in range(words)]


def changed(words: list[str], place: int) -> list[str]:
    return [*words[:place], "changed", *words[place + 1 :]]


def pages() -> list[dict[str, str]]:
    """Two clusters, of three and two documents; two documents of their own; one without words."""
    a, b, c, d = (draw(Random(seed)) for seed in range(4))
    texts = {"a": a, "b": b, "a, later": changed(a, 3), "c": c, "a, again": changed(a, 70), "b, later": b, "d": d}
    found = [{"id": name, "url": f"http://{name[0]}.example/", "text": " ".join(text)} for name, text in texts.items()]
    return [*found, {"id": "empty", "text": "?!"}]


def invoke(*arguments: object, **settings: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="unquilt", **settings)


def succeed(*arguments: object, **settings: Any) -> str:
    result = invoke(*arguments, **settings)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def write(path: Path, lines: list[dict[str, str]], *more: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in [*map(json.dumps, lines), *more]))
    return path


def cells(table: str) -> list[list[str]]:
    """The cells of a printed table, which has two spaces between columns."""
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in table.splitlines()]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, and a run with pairs over it."""
    folder = tmp_path_factory.mktemp("made")
    write(folder / "pages.jsonl", pages(), "{broken")
    unquilt.ingest(folder / "pages.jsonl", folder / "corpus")
    unquilt.neardups(folder / "corpus", folder / "run", pairs=True)
    return folder


class TestWhatIsSaid:
    def test_at_the_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "pages.jsonl", pages(), "{broken")
        first = succeed("neardups", "pages.jsonl", "-o", "run")
        assert first.splitlines() == [
            "8 documents, 840 words; 1 record rejected (1 bad json)",
            "2 clusters of near-duplicates; keeping one document of each leaves out 3 of 8 documents (37.5%)",
            "A pair is found with a probability of 87.8 % at J = 0.95, 41.5 % at J = 0.9, 2.5 % at J = 0.8; "
            "with --threshold T, of 99 % or more from J = T on.",
            "The loosest is cluster 0: 3 documents, similarity to the one that is kept from 0.92, median 0.92",
            "Drops that are least like the page that is kept instead:",
            "  a, later, for a (similarity 0.920)",
            "  a, again, for a (similarity 0.920)",
            "  b, later, for b (similarity 1.000)",
            "The tables are in run, as Parquet: audit, clusters, kept, similarity",
            "",
            "Next:",
            "  unquilt show run                             a summary",
            "  unquilt show run clusters                    which documents are near-duplicates of which",
            "  unquilt show run kept                        "
            "which documents to keep, and which to drop in favour of which",
            "  unquilt show run similarity                  "
            "how similar the documents of a cluster are, the loosest clusters first",
            "  unquilt show run audit                       what would go, by columns of the inputs, site and length",
            "  unquilt show run rejects                     what was left out, and why",
            "  unquilt show run clusters --doc ID           one cluster, with the similarity of each document",
            "  unquilt show run clusters --diff A B         what differs between two documents",
            "  unquilt export run --kept -o kept.jsonl.gz   the documents without near-duplicates",
            "  unquilt serve run                            all of it on a page in the browser",
            "  unquilt report run -o report.html            figures, tables and examples in one file",
        ]
        again = succeed("neardups", "pages.jsonl", "-o", "run")
        assert again == f"Nothing to do: this was complete already (--overwrite computes it anew).\n{first}"
        result = invoke("neardups", "pages.jsonl", "-o", "run", "-q", "--overwrite", "--max-rejects", "0")
        assert (result.exit_code, result.stdout) == (3, "")

    def test_with_pairs_or_without_similarity(self, made: Path, tmp_path: Path) -> None:
        out = succeed("neardups", made / "corpus", "-o", tmp_path / "pairs", "--pairs")
        assert "pairs                       what holds the clusters together" in out
        out = succeed("neardups", made / "corpus", "-o", tmp_path / "bare", "--no-similarity")
        assert "as Parquet: audit, clusters, kept\n" in out
        assert "loosest" not in out
        assert "show bare similarity" not in out

    def test_with_a_threshold(self, made: Path, tmp_path: Path) -> None:
        out = succeed("neardups", made / "corpus", "-o", tmp_path / "run", "--threshold", "0.8", "--min-words", 200)
        assert "No near-duplicates were found.\nNear-duplicates are pairs that have 0.8 of their grams or more" in out
        assert "(J >= 0.8), compared exactly; one at J = 0.8 is found with a probability of 99.7 %.\n" in out
        assert "\n8 documents have fewer than 200 words (--min-words) and were not compared\n" in out
        shown = succeed("show", tmp_path / "run")
        assert "\n8 documents have fewer than 200 words (--min-words) and were not compared\n" in shown

    def test_two_documents(self, tmp_path: Path) -> None:
        write(tmp_path / "pages.jsonl", [pages()[1], pages()[5]])
        out = succeed("neardups", tmp_path / "pages.jsonl", "-o", tmp_path / "run")
        assert "1 cluster of near-duplicates; keeping one document of each leaves out 1 of 2 documents (50.0%)" in out
        assert "The loosest is cluster 0: 2 documents, similarity to the one that is kept 1.00\n" in out

    @pytest.mark.parametrize("texts", [["", "?"], ["one document alone"], ["one thing", "and another"]])
    def test_without_near_duplicates(self, texts: list[str], tmp_path: Path) -> None:
        write(tmp_path / "pages.jsonl", [{"id": str(i), "text": text} for i, text in enumerate(texts)], "{}")
        out = succeed("neardups", tmp_path / "pages.jsonl", "-o", tmp_path / "run")
        assert "\nNo near-duplicates were found.\n" in out
        assert ("A pair is found with a probability of 87.8 % at J = 0.95" in out) == (len(texts) > 1)
        assert "loosest" not in out
        assert "run clusters" not in out
        assert "\nNo near-duplicates were found.\n" in succeed("show", tmp_path / "run")
        assert succeed("show", tmp_path / "run", "clusters") == "clusters has no rows.\n"

    def test_documents_without_a_signature(self, made: Path, tmp_path: Path) -> None:
        out = succeed("neardups", made / "corpus", "-o", tmp_path / "run", "--method", "imatch", "--nidf", "0.3:0.8")
        assert "\n1 document has too few words to be compared with others\n" in out
        shown = succeed("show", tmp_path / "run")
        assert "\n1 document has too few words to be compared with others\n" in shown
        assert "parameters  method imatch, k 5, seed 0, lexicon none, nidf 0.3,0.8, min-df 1, " in shown
        assert "family" not in shown

    def test_a_lexicon_that_is_given(self, tmp_path: Path) -> None:
        """The run knows its corpus, and says the range of the lexicon, not that of the parameters."""
        write(tmp_path / "pages.jsonl", pages())
        unquilt.build_lexicon(tmp_path / "pages.jsonl", tmp_path / "words", nidf=(0.3, 0.7), min_df=2)
        for number, given in enumerate((tmp_path / "pages.jsonl", unquilt.ingest(tmp_path / "pages.jsonl").path)):
            run = tmp_path / str(number)
            out = succeed("neardups", given, "-o", run, "--method", "imatch", "--lexicon", tmp_path / "words")
            words = unquilt.Lexicon.read(tmp_path / "words")
            assert words.primary >= 100
            assert "Warning" not in out
            assert f"\nThe lexicon has {words.primary} words; " in out
            shown = succeed("show", run)
            assert f"\nThe lexicon has {words.primary} words; " in shown
            assert "nidf 0.3,0.7, min-df 2, " in shown
            assert cells(succeed("show", run, "kept"))[1][:2] == ["2", "http://a.example/"]
            heading, *rows = cells(succeed("show", run, "clusters"))
            assert heading[:6] == ["cluster", "documents", "least", "median", "least_cosine", "kept"]
            assert ["1", "2", "1.000", "1.000", "1.000", "1"] in [row[:6] for row in rows]

    def test_a_lexicon_of_few_words_is_warned_of(self, tmp_path: Path) -> None:
        few = [{"id": str(i), "text": " ".join(draw(Random(i), 30))} for i in range(9)]
        write(tmp_path / "few.jsonl", [*few, {"id": "x", "text": "common words " * 9}, few[0]])
        out = succeed(
            "neardups", tmp_path / "few.jsonl", "-o", tmp_path / "run", "--method", "imatch", "--nidf", "0:0.9"
        )
        assert "Warning: the lexicon has 30 words only: documents that have little in common may share" in out
        assert "% of the signatures had too few words of the lexicon and were filled up with rarer ones" in out
        assert "\nWarning: the lexicon has 30 words only" in succeed("show", tmp_path / "run")

    def test_json(self, made: Path, tmp_path: Path) -> None:
        facts = json.loads(succeed("neardups", made / "corpus", "-o", tmp_path / "run", "--json", "-q"))
        assert (facts["documents"], facts["near_duplicates"], facts["without_signature"]) == (8, 3, None)
        assert facts["tables"]["clusters"]["rows"] == 5
        assert facts["loosest"][0]["documents"] == 3
        assert facts["parameters"]["method"] == "shingles"


class TestShow:
    def test_a_run(self, made: Path) -> None:
        out = succeed("show", made / "run")
        assert "run of neardups, complete, finished 20" in out
        assert (
            "\n2 clusters of near-duplicates; keeping one document of each leaves out 3 of 8 documents (37.5%)\n" in out
        )
        asked = "method shingles, k 5, family fast, functions 84, supers 6, agree 2, seed 0, "
        asked += "keep first, min-words 0, similarity True, pairs True, key none"
        assert f"parameters  {asked}\n" in out
        assert "tables      audit 6, clusters 5, documents 8, kept 8, pairs 3, rejects 1, similarity 2 rows\n" in out
        facts = json.loads(succeed("show", made / "run", "--json"))
        assert facts["near_duplicates"] == 3

    def test_tables_have_ids(self, made: Path) -> None:
        columns = ("--columns", "doc,id,keep,kept_instead,kept_instead_id,similarity")
        heading, *rows = cells(succeed("show", made / "run", "kept"))
        assert heading[:5] == ["doc", "url", "keep", "kept_instead", "kept_instead_url"]
        assert heading[-2:] == ["id", "kept_instead_id"]
        heading, *rows = cells(succeed("show", made / "run", "kept", *columns))
        assert rows[0] == ["2", "a, later", "no", "0", "a", "0.920"]  # the least similar first
        assert rows[3] == ["0", "a", "yes", *"---"]
        heading, *rows = cells(succeed("show", made / "run", "similarity"))
        assert heading == ["cluster", "documents", "least", "median", "kept", "kept_url", "kept_id"]
        assert [[*row[:5], row[-1]] for row in rows] == [
            ["0", "3", "0.920", "0.920", "0", "a"],
            ["1", "2", "1.000", "1.000", "1", "b"],
        ]
        heading, *rows = cells(succeed("show", made / "run", "pairs"))
        assert heading == ["doc", "url", "other", "other_url", "jaccard", "id", "other_id"]
        assert ["5", "1", "1.000", "b, later", "b"] in [[row[0], row[2], *row[4:]] for row in rows]

    @pytest.mark.parametrize("table", ["clusters", "kept", "similarity", "pairs"])
    def test_tables_for_programs(self, made: Path, table: str) -> None:
        rows = [json.loads(line) for line in succeed("show", made / "run", table, "--json").splitlines()]
        known = find_table(table)
        assert known is not None
        assert rows == unquilt.read(made / "run").table(table, names=True, sort=known.order).to_pylist()

    def test_clusters_are_lines(self, made: Path, tmp_path: Path) -> None:
        heading, *rows = cells(succeed("show", made / "run", "clusters"))
        assert heading == ["cluster", "documents", "least", "median", "kept", "kept_url", "kept_id"]
        largest = [["0", "3", "0.920", "0.920", "0", "http://a.example/", "a"]]
        assert rows == [*largest, ["1", "2", "1.000", "1.000", "1", "http://b.example/", "b"]]
        assert cells(succeed("show", made / "run", "clusters", "--order", "loosest", "--limit", 1))[1] == largest[0]
        unquilt.neardups(made / "corpus", tmp_path / "bare", similarity=False, keep="longest", threshold=0.9)
        heading, *rows = cells(succeed("show", tmp_path / "bare", "clusters"))
        assert [row[:3] for row in rows] == [["0", "3", "0"], ["1", "2", "1"]]
        result = invoke("show", tmp_path / "bare", "clusters", "--order", "loosest")
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)

    def test_one_cluster(self, made: Path) -> None:
        first, _, heading, *rows, _, last = cells(succeed("show", made / "run", "clusters", "--doc", "a, again"))
        assert first == ["Cluster 0: 3 documents, of which document 0 is kept."]
        assert heading == ["doc", "keep", "similarity", "url", "id"]
        assert [row[:3] for row in rows] == [["0", "yes", "-"], ["2", "no", "0.920"], ["4", "no", "0.920"]]
        assert last == [f"What differs: unquilt show {made / 'run'} clusters --diff 0 4"]
        out = succeed("show", made / "run", "clusters", "--doc", "d")
        assert out == "Document 6 is in no cluster: no near-duplicate of it was found.\n"
        lines = succeed("show", made / "run", "clusters", "--doc", "5", "--json").splitlines()
        assert [json.loads(line)["similarity"] for line in lines] == [None, 1.0]

    def test_what_differs(self, made: Path) -> None:
        out = succeed("show", made / "run", "clusters", "--diff", "a", "a, later")
        assert "They differ in 1 place: 1 word of the first, 1 of the second." in out
        assert "-] {+ changed +}" in out
        assert "words …" in out
        assert "words …" not in succeed("show", made / "run", "clusters", "--diff", 0, 2, "--full")
        (row,) = map(json.loads, succeed("show", made / "run", "clusters", "--diff", 0, 2, "--json").splitlines())
        assert (row["other_text"], row["end"] - row["begin"]) == ("changed", 6)
        assert "the same, in the same order" in succeed("show", made / "run", "clusters", "--diff", 1, 5)
        for wrong in (
            ("clusters", "--diff", "a", "nobody"),
            ("pairs", "--diff", "0", "1"),
            ("clusters", "--diff", "0"),
        ):
            result = invoke("show", made / "run", *wrong)
            assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1), result.output

    def test_a_run_that_is_not_complete(self, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("unquilt.analyses.neardups.compare", stop_after_rehearsal(compare))
            assert invoke("neardups", made / "corpus", "-o", tmp_path / "run").exit_code == 1
        out = succeed("show", tmp_path / "run")
        assert "NOT COMPLETE: still running, or interrupted" in out
        assert "\nNot computed yet: kept, audit\n" in out
        succeed("neardups", made / "corpus", "-o", tmp_path / "run")


WRONG = {
    "no output": ("{corpus}", 2, "missing option '-o'"),
    "no input": ("-o {new}", 2, "missing argument 'INPUT...'"),
    "missing": ("none -o {new}", 1, "none: no such file or folder"),
    "method": (
        "{corpus} -o {new} --method simhash",
        2,
        "--method must be one of shingles, imatch, spotsigs, not 'simhash'",
    ),
    "family": ("{corpus} -o {new} --family sha", 2, "--family must be one of fast, rabin, not 'sha'"),
    "k": ("{corpus} -o {new} -k 0", 2, "--k must be a whole number between 1 and 1048576, not '0'"),
    "seed": ("{corpus} -o {new} --seed -1", 2, "--seed must be a whole number between 0 and 9223372036854775807"),
    "nidf, order": ("{corpus} -o {new} --method imatch --nidf 0.8:0.2", 2, "--nidf must have its lower end first, not"),
    "nidf, one": ("{corpus} -o {new} --method imatch --nidf 0.8", 2, "--nidf must be two numbers with a colon"),
    "nidf, beyond": ("{corpus} -o {new} --method imatch --nidf 0.2:1.2", 2, "--nidf must be a number between 0 and 1"),
    "nidf, nan": ("{corpus} -o {new} --method imatch --nidf 0.2:nan", 2, "--nidf must be a number between 0 and 1"),
    "threshold": ("{corpus} -o {new} --threshold 0.2", 2, "--threshold must be a number between 0.3 and 1, not '0.2'"),
    "threshold, no effect": ("{corpus} -o {new} --threshold 0.8 --family rabin", 2, "threshold has no effect with fam"),
    "keep": ("{corpus} -o {new} --keep newest", 2, "keep: the corpus has no column 'newest'; did you mean longest?"),
    "min words": ("{corpus} -o {new} --min-words -1", 2, "--min-words must be a whole number between 0 and 4294967296"),
    "randomise": ("{corpus} -o {new} --method imatch --randomise all", 2, "--randomise must be one of primary, both"),
    "lexicons": ("{corpus} -o {new} --method imatch --lexicons 256", 2, "--lexicons must be a whole number between 0"),
    "drop": ("{corpus} -o {new} --method imatch --drop 1", 2, "--drop must be a number of at least 0 and below 1, not"),
    "share": ("{corpus} -o {new} --method imatch --min-share 1.1", 2, "--min-share must be a number between 0 and 1"),
    "terms": ("{corpus} -o {new} --method imatch --min-terms 0", 2, "--min-terms must be a whole number between 1"),
    "drop, no effect": ("{corpus} -o {new} --drop 0.5", 2, "drop has no effect with method shingles; leave it out"),
    "family, no effect": ("{corpus} -o {new} --method imatch --family rabin", 2, "family has no effect with method im"),
    "both": ("{corpus} -o {new} --method imatch --lexicon {lexicon} --min-df 2", 2, "come from the lexicon file"),
    "no lexicon": ("{corpus} -o {new} --method imatch --lexicon none", 1, "no such file: none"),
    "bad lexicon": ("{corpus} -o {new} --method imatch --lexicon {pages}", 1, "cannot be read as a lexicon: "),
    "reading": ("{corpus} -o {new} --max-bytes 10", 2, "read already; leave out the options about reading"),
    "another run": (
        "{corpus} -o {run} -k 4",
        1,
        "holds another run: k was 5 and is now 4; pairs was true and is now false; choose",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_line(case: str, made: Path, tmp_path: Path) -> None:
    command, code, message = WRONG[case]
    names = {name: made / name for name in ("corpus", "run", "lexicon")}
    names |= {"pages": made / "pages.jsonl", "new": tmp_path / "new"}
    result = invoke("neardups", *command.format(**names).split())
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert message in result.stderr
    assert result.stderr.startswith("unquilt: ")
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("share", ["1.5", "50%", "nan"])
def test_an_alarm_is_a_share(share: str, made: Path, tmp_path: Path) -> None:
    result = invoke("export", str(made / "run"), "--kept", "-o", str(tmp_path / "kept.jsonl"), "--alarm", share)
    assert result.exit_code == 2
    assert f"--alarm must be a number between 0 and 1, not '{share}'" in result.stderr


@pytest.mark.parametrize(
    ("texts", "asked", "message"),
    [
        (["alpha bravo charlie"], [], "a lexicon needs at least 2 documents, and there is 1"),
        (["alpha", "bravo"], [], "no word has nidf in 0.2:0.8; choose a wider range, or a larger corpus"),
        (["the", "of"], ["--nidf", "0:1"], "no word has nidf in 0:1 (in 1 to 2 of 2 documents); choose a wider range"),
    ],
)
def test_a_corpus_too_small_for_a_lexicon_of_its_own(
    texts: list[str], asked: list[str], message: str, tmp_path: Path
) -> None:
    write(tmp_path / "pages.jsonl", [{"id": str(i), "text": text} for i, text in enumerate(texts)], "{}")
    result = invoke("neardups", tmp_path / "pages.jsonl", "-o", tmp_path / "run", "--method", "imatch", *asked)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"unquilt: {message}")
    assert result.stderr.count("\n") == 1
