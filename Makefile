# Every command of the course: a learner's, which a class is given too, in autograder/class/Makefile, and the others here.

TORCH_PYTHON ?= $(PY)
REFERENCE := PYTHONPATH=build/reference:.
PYTEST = OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder --timeout=900
TESTS := tests/golden tests/machinery
LESSONS := tests/machinery/test_notebook.py tests/machinery/test_grade_modules.py

TAKE_A_MODULE := catch-up collect grade gradescope report mark similar feedback release mutants
GROUPS := dev
text = $(if $($1),--$2='$(subst ','\'',$(value $1))')
include autograder/class/Makefile

.PHONY: catch-up demo roster student collect grade gradescope report mark similar feedback grades formgrader release-students release reference mutants types docs
.PHONY: kit pictures figures lint test test-all test-lessons test-python kernels parity bench bench-training bench-gpu bench-grading

## To look ahead, with the solutions at hand
catch-up: setup                 ## take the reference for the modules before this one: make catch-up 3
	$(RUN) $(N)
demo: setup                     ## play a learner through every module, train on digits, and grade
	$(RUN)

## To teach
release-students: setup         ## write the course without its answers, for a class: make release-students DEST=../course [REPOSITORY=owner/name]
	$(RUN) $(call text,DEST,dest) $(call text,REPOSITORY,repository)
roster: setup                   ## take over who is in the class: make roster FILE=gradebook.csv
	$(RUN) $(call text,FILE,file)
student: setup                  ## add a student by hand, rename or delete one: make student ADD=ada [NAMED='Lovelace, Ada']; RENAME=ada TO=lovelace; REMOVE=ada
	$(RUN) $(call text,ADD,add) $(call text,NAMED,named) $(call text,RENAME,rename) $(call text,TO,to) $(call text,REMOVE,remove)
collect: setup                  ## put a download of all submissions into place: make collect 3 FROM=submissions.zip [TIMES=worksheet.csv]
	$(RUN) $(N) $(call text,FROM,source) $(call text,TIMES,times)
grade: setup                    ## autograde what was submitted: make grade 3 [STUDENT=ada] [SCHEDULER=tcp://...] [WORKERS=2]
	$(RUN) $(N) $(call text,STUDENT,student) $(if $(SCHEDULER),--scheduler=$(SCHEDULER)) $(if $(WORKERS),--workers=$(WORKERS))
gradescope: setup               ## write the zip with which Gradescope grades a module: make gradescope 3
	$(RUN) $(N)
report: setup                   ## write what the class got right and wrong, in a module or over the term: make report [3]
	$(RUN) $(N)
mark: setup                     ## give points by hand, with a reason: make mark 3 STUDENT=ada STUB=relu POINTS=3 REASON='...'; or UNDO=1
	$(RUN) $(N) $(call text,STUDENT,student) $(call text,STUB,stub) $(call text,POINTS,points) $(call text,REASON,reason) $(if $(UNDO),--undo)
similar: setup                  ## show, for you alone, answers of two students that share what few others wrote: make similar 3
	$(RUN) $(N)
feedback: setup                 ## write what students get back: make feedback 3 [STUDENT=ada] [ZIP=1]
	$(RUN) $(N) $(call text,STUDENT,student) $(call text,ZIP,zip)
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
docs: reference                 ## make the book, a site of lessons, map, guides and API, in build/docs
	@$(REFERENCE) $(PY) -P -m docs.pages
kit: setup                      ## make the instructor's pages, with sample answers and struggles, in build/kit
	@$(PY) -P -m docs.pages kit
pictures: setup                 ## draw what commands print, for the README
	$(RUN)
figures: setup                  ## count what a learner writes, and what is given
	$(RUN)
lint: setup                     ## check form and layout of everything authored
	@$(VENV)/bin/ruff check --quiet && $(VENV)/bin/ruff format --check --quiet
test: lint reference            ## pass the tests, all but the slow ones: five to twenty minutes on two cores
	@$(PYTEST) -m 'not slow'
test-all: CHECK = 1
test-all: lint reference mutants ## pass every test: models trained, notebooks run, modules graded, mistakes tried
	@$(PYTEST)
test-lessons: reference         ## run every lesson's solution as a notebook, and grade every module
	@$(PYTEST) $(LESSONS)
test-python:                    ## pass the tests of the tools, and PyTorch's results, by another Python: make test-python PYTHON=python3.13
	@$(MAKE) --no-print-directory VENV=build/$(notdir $(PYTHON)) reference
	@$(subst $(PY),build/$(notdir $(PYTHON))/bin/python,$(PYTEST)) -m 'not slow' $(TESTS)
parity: reference               ## compare with PyTorch, live: make parity TORCH_PYTHON=...
	@$(REFERENCE) $(TORCH_PYTHON) tests/golden/parity.py
bench: reference                ## measure what docs promise, beside PyTorch where it is: make bench [ROWS=linear]
	@$(REFERENCE) $(TORCH_PYTHON) -P -m benchmarks $(ROWS)
bench-training: reference       ## time training steps beside PyTorch's: make bench-training [THREADS=2]
	@$(REFERENCE) $(TORCH_PYTHON) -P -m benchmarks.training $(THREADS)
bench-gpu: reference            ## measure the kernels on a GPU, beside a copy and beside cuBLAS
	@$(REFERENCE) $(TORCH_PYTHON) -P -m benchmarks.gpu
kernels: reference              ## say what the compiler makes of the kernels, for two GPUs, and what that allows on paper
	@$(REFERENCE) $(PY) -P -m benchmarks.kernels
bench-grading: reference        ## measure how fast a class is graded: make bench-grading [STUDENTS=300] [MODULE=3] [SIMULATED=10000]
	@PYTHONPATH=. $(PY) -P -m benchmarks.grading $(or $(STUDENTS),300) $(or $(MODULE),3) $(or $(SIMULATED),10000)

