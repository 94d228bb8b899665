# SPDX-License-Identifier: Apache-2.0
# memtwin: hardware for GPU memory systems that comes with its own proof.  `make help` says what each target does.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MEMTWIN_TIMES ?=
ifneq ($(and $(MEMTWIN_TIMES),$(filter 0 1,$(MAKELEVEL)),$(wildcard .ci/timed)),) # copies of the tree that self-tests build have no .ci
SHELL := .ci/timed# notes the seconds of every command
.SHELLFLAGS = target:$@ -eu -o pipefail -c
endif
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory
B := build
$(if $(filter 1,$(words $(B))),,$(error B: found "$(B)", expected one folder, without blanks))
export JOBS ?= $(shell nproc)
PY := PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 -m
jobs = $(if $(filter --jobserver%,$(MAKEFLAGS)),,-j$(JOBS)) # for a make within make: one per core, unless the caller's make has its own
# Scripts read JOBS and BUILD.  A compiler takes its options from the makefiles alone.
export BUILD := $(B)
unexport CFLAGS CXXFLAGS CPPFLAGS LDFLAGS
# Inputs besides files are kept as text: made-NAME is a text of options, objects or versions, $(call made,NAME) the file that keeps it, which is
# written when the text changes and stands among the prerequisites.  (+: make -n reads the texts, too.)
made = $(1:%=$(B)/made/%)
same-text = $(and $(findstring |$1|,|$2|),$(findstring |$2|,|$1|))
keep-text = $(if $(call same-text,$(strip $2),$(strip $(file <$1))),,$(file >$1,$2))
$(B)/made/%: FORCE
	+$(call keep-text,$@,$(or $(made-$*),$(error no makefile says what $@ is)))
.PRECIOUS: $(B)/made/%
# For compilers: they write a temporary file, which is renamed.  So a file that an interrupted command was writing is no output.
whole = -o $@.new && mv $@.new $@
whole-object = -MT $@ -MF $(basename $@).d $(whole)
# A dependency file may name a source that has gone.  It counts as changed.  (Headers have such rules by -MP.)
%.c: ;
%.cpp: ;
%.hpp: ;
made-gcc = $(shell $(CC) --version)

# make setup, run and test install packages that are missing.  SETUP=no: they stop instead, and print the names.  Other commands print them and go on.
PACKAGES := scripts/setup.sh
NOTE := SETUP=note $(PACKAGES) --for $(if $(findstring ',$(MAKECMDGOALS)),,$(MAKECMDGOALS:%='%'))
BRING := $(if $(filter setup run test,$(MAKECMDGOALS)),$(if $(SETUP),,yes))
$(if $(wildcard /usr/bin/python3),,$(if $(BRING),$(shell $(PACKAGES) cmodel/packages.txt >&2),$(shell $(NOTE))$(error found no /usr/bin/python3)))
# A make locks its build folder.  One that it has started shares the lock, and make -n needs none.
DRY := $(findstring n,$(filter-out -%,$(firstword $(MAKEFLAGS))))
dry = $(if $(DRY),exit 0;)# for a recipe that names $(MAKE) and does more: make -n runs it
ALONE := $(and $(filter 0,$(MAKELEVEL)),$(filter-out help clean,$(MAKECMDGOALS)),$(if $(DRY),,yes))
$(if $(ALONE),$(if $(filter setup run test,$(MAKECMDGOALS)),,$(shell $(NOTE)))$(shell scripts/lock.sh $(B) $$PPID))
# cosim/rules.py generates $(B)/sets.mk, lists of blocks, parameter sets and targets, and $(B)/rules.mk, rules of each set.  It checks the variables
# (GIVEN: the command line's; INHERITED: the environment's), prints SELECTED, the sets of BLOCK= and SET=, and sets those two for PARAMS= and VEC=.
MAKEFILES_READ := Makefile $(sort $(wildcard $(patsubst %,%/*.mk,cmodel cosim scripts synth tb tests)))
quoted = '$(subst ','\'',$1)'
GIVEN := $(if $(filter 0,$(MAKELEVEL)),$(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $v))),$v)))
INHERITED := $(foreach v,JOBS SEED CYCLES,$(if $(filter environment,$(firstword $(origin $v))),$v))
said = $(if $(filter command,$(firstword $(origin $1))),$($1))
RULES := $(shell $(PY) cosim.rules $(call quoted,$(B)) $(foreach v,MAKECMDGOALS BLOCK SET PARAMS VEC,$(call quoted,$($v))) \
    $(foreach v,RTL TOP STATE,$(call quoted,$(call said,$v))) '$(MAKEFILES_READ)' $(foreach v,$(sort $(GIVEN)),$(call quoted,$v=$($v))) \
    $(foreach v,$(INHERITED),$(call quoted,+$v=$($v))) 2>&1)
ifneq ($(.SHELLSTATUS),0)
$(error $(RULES))
endif
include $(filter $(B)/sets%,$(RULES))
SELECTED := $(filter-out %.mk,$(RULES))
WANTED := $(or $(BLOCK),$(BLOCKS))
# DUE="target: target:block ...": the blocks for which these targets run (scripts/ci/steps.py).  CI sets it.  Nested makes ignore it.
DUE ?=
unexport DUE
due = $(if $(and $(filter $1:,$(DUE)),$(filter 0,$(MAKELEVEL))),$(patsubst $1:%,%,$(filter $(WANTED:%=$1:%),$(DUE))),$(WANTED))
due-sets = $(if $(DUE),$(foreach b,$(call due,$1),$(filter $b/%,$(SELECTED))),$(SELECTED))
unless-due = $(if $(call due,$@),,echo "$@: nothing is due, all has passed with these inputs: .ci/passed.tsv"; exit 0;)
include $(filter-out Makefile,$(MAKEFILES_READ)) $(filter $(B)/rules%,$(RULES))

help: ## use: this list
	@scripts/help.sh $(MAKEFILES_READ)
clean: ## develop: remove everything generated
	rm -rf $(B)
.PHONY: FORCE
