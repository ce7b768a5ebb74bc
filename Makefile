# Every command of the course: a learner's, which a class is given too, in autograder/class/Makefile, and the others here.

TORCH_PYTHON ?= $(PY)
REFERENCE := PYTHONPATH=build/reference:.
PYTEST = OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder
TESTS := tests/reference tests/golden tests/machinery

TAKE_A_MODULE := catch-up grade feedback release mutants
GROUPS := dev
include autograder/class/Makefile

.PHONY: catch-up demo grade feedback grades formgrader release-students release reference mutants types figures lint test
.PHONY: test-python test-gpu parity bench bench-gpu bench-grading

## To look ahead, with the solutions at hand
catch-up: setup                 ## take the reference for the modules before this one: make catch-up 3
	$(RUN) $(N)
demo: setup                     ## play a learner through every module, train on digits, and grade
	$(RUN)

## To teach
release-students: setup         ## write the course without its answers, for a class: make release-students DEST=../course
	$(RUN) $(if $(DEST),--dest='$(subst ','\'',$(DEST))')
grade: setup                    ## autograde what was submitted: make grade 3 [STUDENT=ada] [SCHEDULER=tcp://...] [WORKERS=2]
	$(RUN) $(N) $(if $(STUDENT),--student='$(subst ','\'',$(STUDENT))') $(if $(SCHEDULER),--scheduler=$(SCHEDULER)) $(if $(WORKERS),--workers=$(WORKERS))
feedback: setup                 ## write what students get back: make feedback 3 [STUDENT=ada]
	$(RUN) $(N) $(if $(STUDENT),--student='$(subst ','\'',$(STUDENT))')
grades: setup                   ## write the points of all students, one table for Canvas to import
	$(RUN)
formgrader: setup               ## open nbgrader's formgrader, for marks and comments by hand
	$(RUN)

## To write
release: setup                  ## make the notebooks and tests in modules/ from solutions/: make release [3]
	$(RUN) $(N)
reference: setup                ## build the reference framework in build/reference
	$(RUN)
mutants: setup                  ## show that wrong answers fail their tests: make mutants [3] [ALL=1] [CHECK=1]
	$(RUN) $(if $(ALL),--all )$(if $(CHECK),--check )$(N)
types: setup                    ## write the types of tinytorch's names, for editors, and the list of operations
	$(RUN)
figures: setup                  ## count what a learner writes, and what is given
	$(RUN)
lint: setup                     ## check form and layout of everything authored
	@$(VENV)/bin/ruff check --quiet && $(VENV)/bin/ruff format --check --quiet
test: CHECK = 1
test: lint reference mutants    ## pass every test of the course
	@$(PYTEST)
test-python:                    ## pass the tests of the framework and the tools by another Python: make test-python PYTHON=python3.13
	@$(MAKE) --no-print-directory VENV=build/$(notdir $(PYTHON)) reference
	@$(subst $(PY),build/$(notdir $(PYTHON))/bin/python,$(PYTEST)) $(TESTS)
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

