# Every command of the course; what they do is in autograder/. `make` alone prints them.
# A command that takes a module takes it as 3, 03, layers or N=3: `make test-module 3`.

# What is imported is compiled once, not by each of a thousand processes.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
TORCH_PYTHON ?= $(PY)
PY := .venv/bin/python
REFERENCE := PYTHONPATH=build/reference:.

RUN = @$(PY) -m autograder $@

# What follows these is no goal of its own, but the module.
ifneq ($(filter $(firstword $(MAKECMDGOALS)),start test-module export catch-up reset submit grade feedback release mutants milestone),)
N := $(wordlist 2,99,$(MAKECMDGOALS))
.DEFAULT: ; @:
else
N :=
endif

.DEFAULT_GOAL := help
.PHONY: help setup start test-module progress export catch-up reset demo release grade reference mutants test lint
.PHONY: parity bench bench-gpu bench-grading milestone test-gpu submit feedback grades formgrader release-students

help:
	@awk -F ' *## ' '/^[a-z-]+:.*##/ {sub(/:.*/, "", $$1); printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.installed         ## install what the course needs into .venv, once
start: setup                    ## open JupyterLab at the module: make start 3
	$(RUN) $(N)
test-module: setup              ## export the notebook and run its tests: make test-module 3 [stub=dropout]
	$(RUN) $(N) $(if $(stub),--stub=$(stub))
progress: setup                 ## show the twenty modules, the points reached, and what is next
	$(RUN)
export: setup                   ## write the notebook as a module of tinytorch: make export 3
	$(RUN) $(N)
catch-up: setup                 ## take the reference for the modules before this one: make catch-up 3
	$(RUN) $(N)
submit: setup                   ## check the notebook, and pack it to be handed in: make submit 3
	$(RUN) $(N)
reset: setup                    ## begin the notebook afresh, the old one kept beside it: make reset 3
	$(RUN) $(N)
milestone: setup                ## run a milestone with your own modules: make milestone xor
	@$(PY) -m milestones $(N)
demo: setup                     ## play a learner through every module, train on digits, and grade
	$(RUN)
release: setup                  ## make the notebooks and tests in modules/ from solutions/: make release [3]
	$(RUN) $(N)
grade: setup                    ## autograde what was submitted: make grade 3 [STUDENT=ada] [SCHEDULER=tcp://...] [WORKERS=2]
	$(RUN) $(N) $(if $(STUDENT),--student='$(subst ','\'',$(STUDENT))') $(if $(SCHEDULER),--scheduler=$(SCHEDULER)) $(if $(WORKERS),--workers=$(WORKERS))
feedback: setup                 ## write what students get back: make feedback 3 [STUDENT=ada]
	$(RUN) $(N) $(if $(STUDENT),--student='$(subst ','\'',$(STUDENT))')
grades: setup                   ## write the points of all students, one table for Canvas to import
	$(RUN)
formgrader: setup               ## open nbgrader's formgrader, for marks and comments by hand
	$(RUN)
release-students: setup         ## write the course without its answers, for a class: make release-students DEST=../course
	$(RUN) $(if $(DEST),--dest='$(subst ','\'',$(DEST))')
reference: setup                ## build the reference framework in build/reference
	$(RUN)
mutants: setup                  ## show that wrong answers fail their tests: make mutants [3] [ALL=1]
	$(RUN) $(if $(ALL),--all )$(N)
lint: setup                     ## check form and layout of everything authored
	@.venv/bin/ruff check --quiet && .venv/bin/ruff format --check --quiet
test: lint reference mutants    ## pass every test of the course
	@OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder
test-gpu: setup                 ## run the tests of the kernels on a GPU, where there is one
	$(RUN)
parity: reference               ## compare with PyTorch, live: make parity TORCH_PYTHON=...
	@$(REFERENCE) $(TORCH_PYTHON) tests/golden/parity.py
bench: reference                ## measure what docs promise, beside PyTorch where it is: make bench [ROWS=linear]
	@$(REFERENCE) $(TORCH_PYTHON) -P -m benchmarks $(ROWS)
bench-gpu: reference            ## measure the kernels on a GPU, beside a copy and beside cuBLAS
	@$(REFERENCE) $(TORCH_PYTHON) -P -m benchmarks.gpu
bench-grading: reference        ## measure how fast a class is graded: make bench-grading [STUDENTS=1000] [MODULE=2]
	@PYTHONPATH=. $(PY) -P -m benchmarks.grading $(or $(STUDENTS),1000) $(or $(MODULE),2)

# uv comes from the lock too: by this Python's pip, or where it has none, by one of the venv's own.
.venv/.installed: requirements.lock
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.version_info >= (3, 11) or \
	  sys.exit(f"Python 3.11 or later is needed, and $(PYTHON) is {v}: make PYTHON=python3.12")'
	@echo "Installing what the course needs into .venv: once, in a minute or so."
	@[ -x $(PY) ] || $(PYTHON) -m venv --clear --without-pip .venv
	@uv=$$(grep -o '^uv==[^ ]*' $<); $(PYTHON) -m pip --python $(PY) install --quiet $$uv 2>/dev/null || \
	  { $(PY) -m ensurepip >/dev/null && $(PY) -m pip install --quiet $$uv; }
	@$(PY) -m uv pip install --quiet --python $(PY) --no-deps -r $< -e . || \
	  $(PYTHON) -m pip --python $(PY) install --quiet --no-deps -r $< -e .
	@touch $@
