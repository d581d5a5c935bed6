# Three commands to know: `make tour` solves a board and shows it, `make lessons` opens the lessons in JupyterLab,
# `make test` runs everything that CI runs.

PYTHON ?= python3
BIN := .venv/bin
TOUR := .venv/.tour
LESSONS := .venv/.lessons
COPIES := $(patsubst docs/%,build/%,$(wildcard docs/lessons/*.ipynb))
READY := .venv/.installed

.PHONY: tour lessons students test suite test-slow lab sanitize hostile check docs docs-links clean

tour: $(TOUR)  ## set up what solving, proving, counting and the page need, then a closed tour of the chessboard
	$(BIN)/cpsat-tour solve 8x8 --closed
	@echo "now: source .venv/bin/activate"

lessons: $(LESSONS) $(COPIES)  ## JupyterLab on copies of the lessons, in build/lessons, which keep what a class writes; LAB has options for it
	PATH="$(CURDIR)/$(BIN):$$PATH" jupyter lab $(LAB) build/lessons

build/lessons/%: | docs/lessons/%
	@mkdir -p $(@D)
	@cp $| $@

students: $(LESSONS)  ## the lessons without solutions and without what their cells show, in build/students
	$(BIN)/python docs/lessons.py --students build/students

# Many tests wait for other processes: three at a time keep two processors busy.
CPUS := $(shell $(PYTHON) -c "import os; print(len(getattr(os, 'sched_getaffinity', lambda _: range(os.cpu_count()))(0)))")
WORKERS := $(shell expr 3 \* $(CPUS) / 2)

test: $(READY)  ## style, types and the test suite, at the same time
	$(MAKE) --no-print-directory --jobs 2 check suite

# The many processes that tests start find modules compiled, also where a machine says that Python is to write none down.
suite: export PYTHONDONTWRITEBYTECODE :=
suite: $(READY)
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --max-worker-restart 0

test-slow: $(READY)  ## the sweeps and proofs that take minutes
	$(BIN)/python -m pytest -m slow

# What a kernel reads and writes is looked at by the compiler's own checks, in a library of its own that goes afterwards.
CHECKED := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
KERNEL_TESTS := tests/native tests/frontier tests/contract/test_guards.py tests/models/test_merging.py tests/core

# The library of exact does not run beside that of the checks.
NOT_EXACT := tests/models/test_merging.py::test_backends_list_all_tours_when_they_merge_from_the_first_round[pb]

lab: $(READY)  ## the tests of the research in lab/, the slow ones too
	$(BIN)/python -m pytest -m "slow or not slow" --timeout 10800 lab/tests

sanitize: $(READY)  ## the tests of the kernels, and graphs drawn to break something, with all addresses checked
	CFLAGS="$(CHECKED)" $(BIN)/python setup.py --quiet build_ext --inplace
	export LD_PRELOAD=$$(cc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1; \
	$(BIN)/python -m pytest -q $(KERNEL_TESTS) --deselect '$(NOT_EXACT)' && $(BIN)/python -m pytest -q -m slow -k hostile tests/contract/test_guards.py; \
	ended=$$?; unset LD_PRELOAD; $(BIN)/python setup.py --quiet build_ext --inplace; exit $$ended

hostile: $(READY)  ## graphs drawn to break something, through every way to an answer, for an hour
	$(BIN)/python tests/support/hostile.py --seconds 3600 --keep .

docs: $(READY)  ## the documentation, in build/docs; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "open build/docs/index.html"

docs-links: $(READY)  ## whether the links that lead elsewhere are alive; needs the net
	$(BIN)/python -m sphinx -q -b linkcheck docs build/links

check: $(READY)  ## ruff and mypy --strict, on a tree of links that has the packages where they are installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf build/typed && mkdir -p build/typed
	cp -rs $(CURDIR)/cpsat_tour build/typed/
	ln -s $(CURDIR)/models $(CURDIR)/compare build/typed/cpsat_tour/
	ln -s $(CURDIR)/tests/*.py $(CURDIR)/tests/*/*.py $(CURDIR)/lab/*.py $(CURDIR)/lab/tests/*.py $(CURDIR)/docs/[!cf]*.py $(CURDIR)/docs/examples/*.py build/typed/
	$(BIN)/mypy build/typed

$(TOUR): pyproject.toml setup.py constraints.txt $(wildcard cpsat_tour/native/*.[ch])
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[web,png,gif,pdf]'
	touch $@

$(LESSONS): $(TOUR)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[lessons]'
	touch $@

$(READY): $(LESSONS)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[all,pb,docs,dev]'
	# Another reader of TSPLIB, which asks for an old networkx that it does not need, and solvers of XCSP3.
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps tsplib95 pycsp3
	touch $@

clean:
	rm -rf .venv build dist *.egg-info
