"""What is said to those who ask for help, and to those who ask for what there is not."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

import click
import pytest
from click.testing import CliRunner

import unquilt
from tools.reference import reference
from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.cli import cli, will_read
from unquilt.cli.group import LazyGroup
from unquilt.cli.options import given_parameters, parameter_options
from unquilt.parameters import Parameters, parameter

DOCS = Path(__file__).parents[2] / "docs" / "cli.md"


def invoke(*arguments: object, **settings):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="unquilt", **settings)


def commands(group: LazyGroup = cli, path: str = "") -> dict[str, click.Command]:
    """All commands by what is typed for them, those of groups after their group."""
    found: dict[str, click.Command] = {path: group}
    for name in group.table:
        command = group.get_command(click.Context(group), name)
        inner = f"{path} {name}".strip()
        found |= commands(command, inner) if isinstance(command, LazyGroup) else {inner: command}
    return found


def short_help(path: str) -> str:
    """What the group says of a command."""
    group, _, name = path.rpartition(" ")
    return commands()[group].table[name][1]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A corpus, a run, and a folder that is neither."""
    folder = tmp_path_factory.mktemp("usage")
    pages = folder / "pages.jsonl"
    texts = {"x": "a b c d", "y": "d e f g", "z": "a b c d e f g"}
    pages.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items()))
    unquilt.ingest(pages, folder / "corpus")
    unquilt.quilts(folder / "corpus", folder / "run", k=3, c=2, min_grams=1)
    (folder / "other").mkdir()
    (folder / "other" / "letter.txt").write_text("Dear Anna")
    return folder


WRONG = {
    "k 0": ("quilts {corpus} -o {new} -k 0", 2, "--k must be a whole number between 1 and 1048576, not '0'"),
    "k x": ("quilts {corpus} -o {new} --k x", 2, "--k must be a whole number between 1 and 1048576, not 'x'"),
    "m": ("quilts {corpus} -o {new} -m 1", 2, "--m must be a whole number between 2 and 4294967296, not '1'"),
    "sigma": ("quilts {corpus} -o {new} --sigma 2", 2, "--sigma must be a number between 0 and 1, not '2'"),
    "nan": ("quilts {corpus} -o {new} --sigma nan", 2, "--sigma must be a number between 0 and 1, not 'nan'"),
    "min-share": ("quilts {corpus} -o {new} --min-share -1", 2, "--min-share must be a number between 0 and 1"),
    "foreign": ("quilts {corpus} -o {new} --foreign planet", 2, "--site must be one of none, host, domain, suffix"),
    "key": ("quilts {corpus} -o {new} --key abc", 2, "key must be 32 hexadecimal digits"),
    "threads": ("quilts {corpus} -o {new} --threads -1", 2, "--threads must be a whole number between 1 and 65536"),
    "no threads": ("quilts {corpus} -o {new} --threads 0", 2, "--threads must be a whole number between 1 and 65536"),
    "memory": ("quilts {corpus} -o {new} --memory abc", 2, "--memory must be a size such as 512MB or 2GiB, not 'abc'"),
    "little memory": ("quilts {corpus} -o {new} --memory 1MB", 2, "memory must be at least 64 MiB"),
    "huge memory": (f"quilts {{corpus}} -o {{new}} --memory {'9' * 400}", 2, "--memory must be a size"),
    "no memory": ("quilts {corpus} -o {new} --memory 0", 2, "--memory must be a size such as 512MB or 2GiB, not '0'"),
    "next to no memory": ("quilts {corpus} -o {new} --memory 0.1B", 2, "--memory must be a size"),
    "negative memory": ("quilts {corpus} -o {new} --memory -1", 2, "--memory must be a size"),
    "memory to the power": ("quilts {corpus} -o {new} --memory 1e400", 2, "--memory must be a size"),
    "all memory": ("quilts {corpus} -o {new} --memory 99999999999TB", 2, "memory must be at least 64 MiB and at most"),
    "all threads": (f"quilts {{corpus}} -o {{new}} --threads {'9' * 12}", 2, "threads must be a whole number between"),
    "empty key": ("quilts {corpus} -o {new} --key=", 2, "--key must not be empty; leave it out for none"),
    "empty lexicon": ("neardups {corpus} -o {new} --lexicon=", 2, "--lexicon must not be empty"),
    "empty output": ("quilts {corpus} --output=", 2, "output must be the name of a file or folder, not ''"),
    "empty master": ("quilts {corpus} -o {new} --engine spark --master=", 2, "--master must not be empty"),
    "engine": (
        "quilts {corpus} -o {new} --engine steam",
        2,
        "--engine must be one of local, processes, workers, spark, not 'steam'",
    ),
    "master": ("quilts {corpus} -o {new} --master local", 2, "--master is for --engine spark"),
    "max-bytes": ("ingest {pages} -o {new} --max-bytes many", 2, "--max-bytes must be a size"),
    "no bytes": ("ingest {pages} -o {new} --max-bytes 0", 2, "--max-bytes must be a size such as 512MB or"),
    "max-rejects": ("ingest {pages} -o {new} --max-rejects -1", 2, "--max-rejects must be a whole number"),
    "field": ("ingest {pages} -o {new} --field body=content", 2, "--field must be one of id, url, text, html, ip"),
    "half a field": ("ingest {pages} -o {new} --field text=", 2, "not 'text='"),
    "field twice": ("ingest {pages} -o {new} --field text=a --field text=b", 2, "text is given twice: 'a' and 'b'"),
    "field of a corpus": ("quilts {corpus} -o {new} --field text=a", 2, "leave out the options about reading"),
    "published": ("quilts {corpus} -o {new} --as-published --max-own 0.4", 2, "--max-own 1) and --max-own 0.4"),
    "limit": ("show {run} quilts --limit 0", 2, "--limit must be a whole number of at least 1, not '0'"),
    "table": ("show {run} quiltz", 2, "no table 'quiltz'; there are: clusters, documents, patches, "),
    "no input": ("quilts -o {new}", 2, "missing argument 'INPUT...'"),
    "no output": ("quilts {corpus}", 2, "missing option '-o'"),
    "option": ("quilts {corpus} -o {new} --sigam 1", 2, "--sigam"),
    "command": ("shwo {run}", 2, "there is no command 'shwo'; did you mean show?"),
    "no such command": ("knit", 2, "there is no command 'knit'; there are: ingest, quilts"),
    "pages": ("demo --pages none", 2, "--pages must be a whole number of at least 1, not 'none'"),
    "missing": ("ingest {nothing} -o {new}", 1, "no such file or folder"),
    "no match": ("ingest {nothing}/*.gz -o {new}", 1, "no file matches"),
    "occupied": ("quilts {corpus} -o {other}", 1, "holds something else (first entry: letter.txt)"),
    "occupied demo": ("demo --pages 10 -o {other}", 1, "holds something else than a demo"),
    "another run": (
        "quilts {corpus} -o {run} -k 3 --min-grams 1",
        1,
        "holds another run: c was 2 and is now 4; choose another",
    ),
    "no run": ("show {nothing}", 1, "no such folder"),
    "not a run": ("show {other}", 1, "is not a run folder"),
    "runs within": ("show {place}", 1, "but these in it are: "),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_line(case, place, tmp_path):
    command, code, message = WRONG[case]
    names = {name: place / name for name in ("corpus", "run", "other")}
    names |= {"place": place, "pages": place / "pages.jsonl", "new": tmp_path / "new", "nothing": "/no-such"}
    arguments = command.format(**names)
    result = invoke(*arguments.split())
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.startswith("unquilt: ")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_without_a_command_there_is_help():
    result = invoke()
    assert (result.exit_code, result.stdout) == (2, "")
    assert "unquilt demo" in result.stderr


def test_help_has_all_options_and_examples():
    for name, command in commands().items():
        result = invoke(*name.split(), "--help", env={"COLUMNS": "100"})
        assert (result.exit_code, result.stderr) == (0, ""), name
        assert "Examples:\n" in result.stdout, name
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.help, (name, option.name)
                assert all(each in result.stdout for each in option.opts), (name, option.name)
    assert invoke("quilts", "-h").stdout == invoke("quilts", "--help").stdout


def test_help_has_the_defaults_and_ranges_of_parameters():
    text = " ".join(invoke("quilts", "--help").stdout.split())
    for info in QuiltParameters.describe():
        assert f"--{info.name.replace('_', '-')} " in text
    assert "Minimum share of the page that was copied (default 0.5; a number between 0 and 1)." in text
    assert "--site, --foreign none|host|domain|suffix|ip|path:N" in text


def test_reference_is_up_to_date():
    assert DOCS.read_text() == reference(), "run: python -m tools.reference > docs/cli.md"


def test_reference_has_everything():
    text = DOCS.read_text()
    for name, command in commands().items():
        section = text.partition(f"\n## `unquilt {name}`\n" if name else "\n## `unquilt`\n")[2].partition("\n## ")[0]
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert all(f"`{each}`" in section for each in option.opts)
        assert f"$ unquilt {name}".rstrip() in section


def test_short_help_is_that_of_the_command():
    for name, command in list(commands().items())[1:]:
        first = (command.help or "").split()[0]
        assert short_help(name).startswith((first, "Look"))
        assert len(short_help(name)) < 60


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version_import_next_to_nothing(flag):
    code = f"""
import sys, json, unquilt.cli
try:
    unquilt.cli.cli([{flag!r}], prog_name="unquilt")
except SystemExit as end:
    print(json.dumps([end.code, sorted(sys.modules)]))
"""
    exit_code, modules = json.loads(run_python(code).splitlines()[-1])
    assert exit_code == 0
    assert not {"pyarrow", "rich", "numpy", "unquilt.api", "unquilt.jobs"} & set(modules)


def test_version_names_unicode_and_what_the_core_was_built_with():
    result = invoke("--version")
    assert result.exit_code == 0
    first, *others = result.stdout.splitlines()
    name, version, _, unicode = first.split()
    assert name == "unquilt"
    assert all(part.isdigit() for part in [*version.split("."), *unicode.rstrip(")").split(".")])
    built = dict(line.split(":", 1) for line in others)
    assert list(built) == ["rustc", "target", "profile", "processor"]
    assert re.fullmatch(r" \d+\.\d+\.\d+(-\w+)?", built["rustc"])
    assert built["target"].count("-") >= 2
    assert built["profile"] in (" release", " debug")
    assert set(built["processor"].split()) <= {"avx2", "pclmulqdq", "sha", "neon", "crc", "sha2"}


@dataclass(frozen=True)
class Toy(Parameters):
    n: int = parameter(1, "a number", at_least=0)
    many: tuple[float, ...] = parameter((), "some numbers", at_least=0)
    really: bool = parameter(True, "a switch")
    name: str | None = parameter(None, "a name")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], {}),
        (["-n", "3"], {"n": 3}),
        (["--many", "1, 0.5"], {"many": (1.0, 0.5)}),
        (["--no-really"], {"really": False}),
        (["--really", "--name", "x"], {"really": True, "name": "x"}),
    ],
)
def test_options_of_any_parameters(arguments, expected):
    found = []

    @click.command()
    @parameter_options(Toy)
    def toy(**values):
        found.append(given_parameters(values))

    assert CliRunner().invoke(toy, arguments).exit_code == 0
    assert found == [expected]
    assert Toy(**found[0])


def test_a_wrong_item_is_named():
    @click.command()
    @parameter_options(Toy)
    def toy(**values):
        pass

    result = CliRunner().invoke(toy, ["--many", "1,-2"])
    assert result.exit_code == 2
    assert "--many must be a number of at least 0, not '-2'" in result.output


VALUES = ("", "-1", "0", "nan", "inf", "1e400", "9" * 400, "9" * 20, "x", "..", "/etc/passwd", "\udc80", "1,2", "1:0")
VALUES += (":", "a=b", "\x1b[2J", "--", "5,50,4,0.5")
ASKING = {
    "ingest": "{pages} -o {new}",
    "quilts": "{corpus} -o {new}",
    "sweep": "{corpus} -o {new} --k 3 --m 5 --c 1 --sigma 0.1",
    "neardups": "{corpus} -o {new}",
    "lexicon build": "{corpus} -o {new} --nidf 0:1",
    "show": "{run} quilts",
    "report": "{run} -o {new}",
    "demo": "--pages 5 -o {new}",
}


@pytest.mark.slow
def test_no_value_of_any_option_breaks_anything(place, tmp_path):
    """Of every option some, at random: done, or refused in one line."""
    names = {"corpus": place / "corpus", "run": place / "run", "pages": place / "pages.jsonl", "new": tmp_path / "new"}
    random = Random(7)
    for command, given in ASKING.items():
        for option in commands()[command].params:
            if not isinstance(option, click.Option) or option.is_flag or option.name in ("engine", "output"):
                continue
            for value in random.sample(VALUES, 3):
                arguments = [*command.split(), *given.format(**names).split(), f"{option.opts[-1]}={value}"]
                result = invoke(*arguments)
                assert result.exit_code in (0, 1, 2, 3), (arguments, result.output)
                assert "internal error" not in result.stderr, (arguments, result.stderr)
                assert result.exit_code == 0 or result.stderr.count("\n") == 1, (arguments, result.stderr)
                shutil.rmtree(tmp_path / "new", ignore_errors=True)
                (tmp_path / "new").unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        (["a b c d e f"] * 3, [], "all documents are near-duplicates of one, into which they were"),
        (["a b c d e f"] * 3, ["--collapse", "exact"], "all documents are copies of one, into which they were"),
        (["a b c d e f"] * 2 + ["g h i j k l"], [], "but for near-duplicates, which were collapsed, no two"),
        (["a b c d e f", "g h i j k l"], [], "no two documents share 5 words in a row. Try a smaller -k."),
    ],
)
def test_why_there_are_no_quilts(tmp_path, texts, options, message):
    lines = [json.dumps({"id": str(number), "text": text}) for number, text in enumerate(texts)]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    result = invoke("quilts", tmp_path / "pages.jsonl", "-o", tmp_path / "run", *options)
    assert result.exit_code == 0
    assert message in result.stdout


def test_readers_are_started_early_where_there_is_something_to_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pages.txt").touch()
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "manifest.json").touch()
    assert will_read(["quilts", "pages.txt", "-o", "run"])
    assert will_read(["reuse", "discover", "corpus", "pages.txt"])
    for others in (
        "quilts corpus -o run",
        "show pages.txt",
        "quilts pages.txt --help",
        "quilts gone.txt",
        "--help",
        "",
    ):
        assert not will_read(others.split()), others
