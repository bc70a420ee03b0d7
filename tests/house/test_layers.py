"""The layers: imports point one way, the compiled core has one door, and the public names are what they say.

errors ← tables, parameters ← corpus, flow ← analyses ← engines, runs, stores ← jobs ← results ← api ← cli
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import unquilt
import unquilt.api
from unquilt.analyses.catalogue import ENTRIES

ROOT = Path(unquilt.__file__).parent
READERS = ("unquilt.corpus",)
JOBS = ("unquilt.cli", "unquilt.jobs", "unquilt.api")

FORBIDDEN: dict[str, tuple[str, ...]] = {
    # module or package: what it must not import, directly
    "unquilt.corpus": ("unquilt.analyses", "unquilt.flow", "unquilt.engines", *JOBS),
    "unquilt.flow": ("unquilt.analyses", "unquilt.engines", "unquilt.stores", "unquilt.runs", *READERS, *JOBS),
    "unquilt.analyses": ("unquilt.engines", "unquilt.runs", "unquilt.columns", "unquilt._native", *READERS, *JOBS),
    "unquilt.engines": ("unquilt.analyses", *READERS, *JOBS),
    "unquilt.engines.local": ("unquilt.engines.spark",),
    "unquilt.engines.spark": ("unquilt.engines.local",),
    "unquilt.runs": ("unquilt.analyses", "unquilt.flow", "unquilt.engines", "unquilt.stores", *READERS, *JOBS),
    "unquilt.stores": ("unquilt.engines", *READERS, *JOBS),
    "unquilt.demo": ("unquilt.analyses", "unquilt.flow", "unquilt.engines", "unquilt.stores", *READERS, *JOBS),
    "unquilt.jobs.ingestion": ("unquilt.analyses", "unquilt.cli", "unquilt.api"),
    "unquilt.jobs": ("unquilt.cli", "unquilt.api", "unquilt.results"),
    "unquilt.remote": ("unquilt.runs", "unquilt.corpus", "unquilt.flow", "unquilt.engines", "unquilt.stores", *JOBS),
    "unquilt.results": ("unquilt.cli", "unquilt.api"),
    "unquilt.figures": ("unquilt.cli", "unquilt.api", "unquilt.page"),
    "unquilt.experiments": ("unquilt.cli", "unquilt.api"),
    "unquilt.judgements": ("unquilt.cli", "unquilt.api", "unquilt.page"),
    "unquilt.page": ("unquilt.cli", "unquilt.api"),
}

ONLY: dict[str, set[str]] = {
    # module: all that it may import of ours
    "unquilt.errors": set(),
    "unquilt.tables.table": set(),
    "unquilt.parameters": {"unquilt.errors"},
    "unquilt.spelling": set(),
    "unquilt.settings": {"unquilt.errors", "unquilt.parameters"},
    "unquilt.guard": {"unquilt.errors"},
    "unquilt.site_names": set(),
    "unquilt.remote.names": {"unquilt.errors"},
    "unquilt.parquet": {"unquilt.errors", "unquilt.remote.files", "unquilt.remote.names"},
    "unquilt.arrow_start": set(),
    "unquilt.systems": {"unquilt.errors"},
    "unquilt._native": {"unquilt._core", "unquilt.errors"},
    "unquilt.analyses.catalogue": {"unquilt.analyses.analysis", "unquilt.analyses.labels", "unquilt.tables.table"},
    "unquilt.analyses.labels": set(),
    "unquilt": {
        "unquilt.api",
        "unquilt.systems",
        "unquilt.analyses.catalogue",
        *(entry.module for entry in ENTRIES.values()),
    },
}


Imports = dict[str, set[str]]


@pytest.fixture(scope="module")
def imports(trees: dict[Path, ast.Module]) -> Imports:
    """All modules of the package, and which of ours each names in an import, wherever it stands; also for type checkers
    alone."""
    known = {name_module(path) for path in trees}
    return {name_module(path): find_imports(path, tree, known) for path, tree in trees.items()}


def name_module(path: Path) -> str:
    """`unquilt.page` of `unquilt/page/__init__.py`."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_imports(path: Path, tree: ast.Module, known: set[str]) -> set[str]:
    """The modules of ours that a module names."""
    name = name_module(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            within = {f"{base}.{alias.name}" for alias in node.names}
            modules = within & known | within & {"unquilt._core"}
            found |= modules | ({base} if len(modules) < len(within) else set())
    return {module for module in found if module == "unquilt" or module.startswith("unquilt.")}


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def test_the_imports_were_found(imports: Imports) -> None:
    assert "unquilt.flow.verbs" in imports["unquilt.analyses.quilts"]
    assert "unquilt._native" in imports["unquilt.jobs.opening"]
    assert "unquilt._core" in imports["unquilt._native"]
    assert len(imports) > 40


def test_imports_point_one_way(imports: Imports) -> None:
    assert [layer for layer in FORBIDDEN if layer not in imports] == [], "a layer is gone: look at the rules"
    wrong = [
        f"{name} imports {imported}"
        for layer in FORBIDDEN
        for name in imports
        if is_in(name, layer)
        for imported in sorted(imports[name])
        if any(is_in(imported, other) for other in FORBIDDEN[layer])
    ]
    assert wrong == []


def test_the_ground_stands_on_nothing(imports: Imports) -> None:
    assert [(name, imports[name] - only) for name, only in ONLY.items() if not imports[name] <= only] == []


def test_the_compiled_core_has_one_door(imports: Imports) -> None:
    assert [name for name in imports if "unquilt._core" in imports[name]] == ["unquilt._native"]


def test_nobody_needs_the_command_line(imports: Imports) -> None:
    """But `python -m unquilt`."""
    others = [name for name in imports if not is_in(name, "unquilt.cli")]
    users = [name for name in others if any(is_in(imported, "unquilt.cli") for imported in imports[name])]
    assert set(users) <= {"unquilt.__main__"}


def test_no_circles(imports: Imports) -> None:
    """Modules can be put in an order in which each imports only earlier ones, packages' own `__init__` aside."""
    left = {name: {i for i in imports[name] if i in imports and not is_in(name, i)} for name in imports}
    while ready := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in ready:
            del left[name]
    assert left == {}


def test_public_names_are_sorted_and_can_be_listed() -> None:
    assert unquilt.__all__ == sorted(unquilt.__all__)
    assert set(unquilt.__all__) <= set(dir(unquilt))


def test_every_public_name_resolves_and_explains_itself() -> None:
    for name in unquilt.__all__:
        public = getattr(unquilt, name)
        assert public is getattr(unquilt.api, name), name
        assert public.__doc__, name
        assert len(public.__doc__.strip()) > 10, name
        assert "(" not in public.__doc__.splitlines()[0].partition(" ")[0], f"{name} has a generated signature"


def test_other_names_do_not_resolve() -> None:
    with pytest.raises(AttributeError, match="no attribute 'quilt'"):
        _ = unquilt.quilt


def test_every_module_can_be_imported_and_says_what_it_is_for(trees: dict[Path, ast.Module]) -> None:
    known = {name_module(path): tree for path, tree in trees.items()}
    for name, tree in known.items():
        assert ast.get_docstring(tree), f"{name} has no docstring"
        if not name.endswith("__main__"):
            importlib.import_module(name)
    found = {info.name for info in pkgutil.walk_packages([str(ROOT)], "unquilt.")}
    assert found - {"unquilt._core"} == known.keys() - {"unquilt"}


def test_importing_unquilt_costs_next_to_nothing() -> None:
    """As `__init__` promises: neither pyarrow nor the core, nor Spark, before a name is used; Spark not even then."""
    program = (
        "import sys, unquilt; early = {'pyarrow', 'unquilt._core', 'pyspark'} & set(sys.modules)\n"
        "unquilt.quilts; late = {'pyspark', 'pandas'} & set(sys.modules); print(early, late)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set() set()\n"


def test_commands_and_readers_leave_pandas_alone() -> None:
    """Arrow would import it for the first list; but whoever asks for it gets it."""
    program = (
        "import sys; from unquilt.arrow_start import start_without_pandas\n"
        "start_without_pandas(); import pyarrow as pa; table = pa.table({'a': [1]}); early = 'pandas' in sys.modules\n"
        "print(early, len(table.to_pandas()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False 1\n"


def test_the_version_is_that_of_the_installed_package() -> None:
    assert importlib.metadata.version("unquilt")
