# Two commands do everything on a machine with Python 3.11+, Rust and make:
#   make demo    sets up, makes a small synthetic web, finds what is copied in it and writes a report
#   make test    sets up (Spark, Java and a browser included) and runs all tests
# and while you work, `make near` runs the tests of the folders that changed, `make check` all that are quick.
# Everything is installed into .venv; only Java and Chromium, where they are missing, are installed on the system.

PYTHON ?= $(shell command -v python3 || command -v python)
BIN := .venv/bin
export PIP_CONSTRAINT := constraints.txt
export PIP_QUIET := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Modules come from .venv, whatever the shell or the user's own site-packages offer.
unexport PYTHONPATH PYTHONHOME
export PYTHONNOUSERSITE := 1
export PIP_USER := 0
# Cargo keeps downloaded crates in the home folder, or here where that cannot be written.
CARGO_KEEP := $(or $(CARGO_HOME),$(HOME)/.cargo)
ifeq ($(shell test -w "$(CARGO_KEEP)" || { test ! -e "$(CARGO_KEEP)" && test -w "$(HOME)"; } || echo no),no)
export CARGO_HOME := $(CURDIR)/target/cargo
endif
# What is imported is compiled then, and kept; most of what is installed never is.
export PIP_NO_COMPILE := 1
PIP := $(BIN)/python -m pip install
# Into .venv, whichever environment the shell has activated.
DEVELOP := env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/.venv" $(BIN)/maturin develop --release --quiet
SET_UP = || { echo "unquilt could not be set up: see the lines above (packages and crates are downloaded: is there a network?)"; exit 1; }
CORE := Cargo.toml Cargo.lock pyproject.toml $(shell find native -name '*.rs' -o -name Cargo.toml)
# What tests need beside unquilt, but for linters.
TESTING := axe-selenium-python hypothesis pytest pytest-xdist selenium
# Three processes for two cores, as many tests wait: for servers, a browser, the JVM.
TESTS := python -m pytest --quiet --numprocesses 3 --dist worksteal
QUICK := -m "not slow and not spark"
FUZZ_MINUTES ?= 30
FUZZ_SEED ?= 1
LEAST_PYTHON := 3.11
LEAST_RUST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

.DEFAULT_GOAL := help
.PHONY: help demo test stranger lowest check near lint format bench fuzz docs examples site dist pictures clean tools wheel java browser pages

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/core ## set up (without Spark) and run unquilt on a small synthetic web
	$(BIN)/unquilt demo -o demo-run --report

test: .venv/dev java browser pages ## set up (Spark, Java and a browser included) and run all tests, Rust and Python
	@cargo test --quiet --release --package unquilt-kernels & kernels=$$!; \
	$(BIN)/$(TESTS); python=$$?; wait $$kernels && exit $$python

# In environments of their own: what people install has only what is declared.
stranger: wheel java ## install the wheel alone, and run what README and docs say; then each extra
	env -u PIP_CONSTRAINT $(BIN)/python tests/stranger.py target/wheels/*.whl

lowest: wheel ## run the quick tests with the lowest versions that pyproject.toml promises
	@rm -rf .venv-lowest && "$(PYTHON)" -m venv .venv-lowest
	@PIP_CONSTRAINT=tests/lowest.txt .venv-lowest/bin/python -m pip install "$$(echo target/wheels/*.whl)[page,spark]" $(TESTING) $(SET_UP)
	.venv-lowest/bin/$(TESTS) $(QUICK)

check: .venv/dev ## lint, and run the quick tests: units and properties, without Spark
	@$(MAKE) --no-print-directory lint & lint=$$!; \
	$(BIN)/$(TESTS) $(QUICK); tests=$$?; wait $$lint && exit $$tests

near: .venv/dev ## run the quick tests of the folders that changed since the last commit
	@tests=$$($(BIN)/python tools/near.py) && if [ -z "$$tests" ]; then echo "nothing changed since the last commit"; else \
	set -x; $(BIN)/$(TESTS) $(QUICK) $$tests; fi

lint: .venv/dev ## check formatting, style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cargo fmt --check
	cargo clippy --quiet --release --all-targets -- -D warnings

format: .venv/dev ## put Python and Rust code into shape
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	cargo fmt

bench: .venv/dev java ## measure unquilt and its rivals; writes a dated record to benchmarks/records
	$(BIN)/python -m benchmarks

fuzz: .venv/dev java ## break files and kill readers by the thousands, for FUZZ_MINUTES; writes a record, too
	$(BIN)/python -m benchmarks.faults --minutes $(FUZZ_MINUTES) --seed $(FUZZ_SEED)

examples: wheel ## run the examples of README and docs (or of PAGES=…); WRITE=1 writes what they print now into the pages
	@rm -rf .venv-examples && "$(PYTHON)" -m venv .venv-examples
	@.venv-examples/bin/python -m pip install "$$(echo target/wheels/*.whl)[page]" $(SET_UP)
	$(BIN)/python tests/examples --unquilt .venv-examples/bin/unquilt --with page $(if $(WRITE),--write) $(PAGES)

docs: .venv/core ## write the references of commands and tables anew
	$(BIN)/python -m tools.reference > docs/cli.md
	$(BIN)/python -m tools.table_reference docs/runs.md

site: .venv/dev ## build the documentation site in site/; a broken link or an undocumented command fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict # not --quiet, with which warnings do not count
	$(BIN)/python -m pytest --quiet -m "not slow" tests/house/test_site.py

dist: .venv/made ## build a release: a wheel for all Pythons, and an sdist that builds without a network; into dist
	@$(MAKE) --no-print-directory tools
	@$(PIP) abi3audit maturin $(if $(filter Linux,$(shell uname)),ziglang) $(SET_UP)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tools.release

pictures: .venv/dev browser ## take the pictures of docs/look.md anew
	$(BIN)/python tests/take_pictures.py docs/pictures

clean: ## remove what was built
	rm -rf .venv .venv-examples .venv-lowest target dist demo-run site benchmarks/work

# Asked before anything is installed or built, and never else: what is set up needs none of it.
tools:
	@test -n "$(PYTHON)" || { echo "unquilt needs Python $(LEAST_PYTHON) or newer; there is no python3 here"; exit 1; }
	@"$(PYTHON)" -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if v >= tuple(map(int, "$(LEAST_PYTHON)".split("."))) else "unquilt needs Python $(LEAST_PYTHON) or newer; %s is %d.%d (choose another: make PYTHON=python$(LEAST_PYTHON))" % ((sys.executable,) + tuple(v)))'
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { echo "unquilt needs Python's module venv, which $(PYTHON) lacks (Debian, Ubuntu: apt install python3-venv)"; exit 1; }
	@command -v cargo >/dev/null || { echo "unquilt needs Rust $(LEAST_RUST) or newer; there is no cargo here"; exit 1; }
	@have=$$(rustc --version 2>/dev/null | cut -d' ' -f2); \
	printf '%s\n%s\n' "$(LEAST_RUST)" "$$have" | sort -CV || { echo "unquilt needs Rust $(LEAST_RUST) or newer; rustc is $${have:-broken: try rustc --version}"; exit 1; }
	@there=$$(mktemp -d) && printf '#include <stdlib.h>\nint main(void) { return 0; }\n' | cc -x c -o "$$there/made" - 2>/dev/null; \
	works=$$?; rm -rf "$$there"; test $$works = 0 || { echo "unquilt needs a C compiler, which Rust links with; cc is missing or broken (Debian, Ubuntu: apt install gcc libc6-dev; macOS: xcode-select --install)"; exit 1; }

.venv/made:
	@$(MAKE) --no-print-directory tools
	"$(PYTHON)" -m venv .venv
	@touch $@

wheel: .venv/core
	@rm -rf target/wheels
	@$(BIN)/maturin build --release --quiet --out target/wheels $(SET_UP)

# The native core, and what unquilt itself and its pages need.
.venv/core: .venv/made constraints.txt $(CORE)
	@$(MAKE) --no-print-directory tools
	@echo "setting up .venv; the core takes some minutes to build"
	@$(PIP) maturin $(SET_UP)
	@$(DEVELOP) --extras page $(SET_UP)
	@touch $@

# What tests, linters, Spark, benchmarks and the documentation site need.
.venv/dev: .venv/core constraints.txt pyproject.toml
	@echo "installing what tests, benchmarks, documentation and Spark need into .venv"
	@$(DEVELOP) --extras bench,dev,docs,page,spark $(SET_UP)
	@touch $@

java:
	@command -v java >/dev/null || [ -n "$$JAVA_HOME" ] || { command -v apt-get >/dev/null && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless >/dev/null; } || \
	echo "no Java, and it could not be installed: the Spark tests will be skipped"

browser:
	@{ command -v chromium && command -v chromedriver; } >/dev/null || { command -v apt-get >/dev/null && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null; } || \
	echo "no Chromium, and it could not be installed: the tests in a browser will be skipped"

# Real pages that some tests read: made once, where the script that makes them is beside this folder.
pages: .venv/dev
	@[ ! -x ../shared/data/debian-docs ] || $(BIN)/python -m benchmarks.debian small >/dev/null 2>&1 || \
	{ apt-get update -qq && $(BIN)/python -m benchmarks.debian small; } >/dev/null || \
	echo "the small Debian corpus could not be made: tests that read it will be skipped"
