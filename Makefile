# SPDX-License-Identifier: Apache-2.0
# memtwin: hardware for GPU memory systems that comes with its own proof.  `make help` says what each target does.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory
B := build
JOBS ?= $(shell nproc)
# JOBS, SEED or CYCLES that is no number is refused in one line.
whole-number = $(if $(filter command environment,$(firstword $(origin $1))),$(if $(shell [[ '$($1)' =~ ^(0|[1-9][0-9]{0,17})$$ ]] && [ '$($1)' -ge $2 ] || echo no),$(error \
	$1: found "$($1)", expected a whole number from $2 on)))
$(call whole-number,JOBS,1)$(call whole-number,SEED,0)$(call whole-number,CYCLES,0)
# For a make within make: as many jobs as there are cores, unless the caller's make has its own.
jobs = $(if $(filter --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))

# Inputs of a product besides file contents are kept as text: options, the list of objects, versions of tools.  made-NAME is such a
# text, $(B)/made/NAME keeps it and is written when it changes, $(call made,NAME) is a prerequisite.  (+: make -n reads the texts, too.)
made = $(1:%=$(B)/made/%)
same-text = $(and $(findstring |$1|,|$2|),$(findstring |$2|,|$1|))
keep-text = $(if $(call same-text,$(strip $2),$(strip $(file <$1))),,$(file >$1,$2))
$(B)/made/%: FORCE | $(B)/made
	+$(call keep-text,$@,$(or $(made-$*),$(error no makefile says what $@ is)))
$(B)/made:
	@mkdir -p $@
made-gcc = $(shell $(CC) --version)
made-g++ = $(shell $(CXX) --version)
# A compiler takes its options from the makefiles alone.
unexport CFLAGS CXXFLAGS CPPFLAGS LDFLAGS

# cosim/rules.py generates make rules from the manifests: $(B)/sets.mk has the names of blocks and parameter sets, $(B)/rules.mk their rules.
# SELECTED is the list of sets that BLOCK=, SET=, PARAMS= and VEC= choose.  A set given by PARAMS= gets a rule file of its own.
MAKEFILES_READ := Makefile cmodel/cmodel.mk $(sort $(wildcard cmodel/*/*.mk cosim/*.mk tb/*.mk tests/*.mk synth/*.mk scripts/*.mk))
ifeq ($(MAKELEVEL),0)
ASKED := $(foreach v,$(filter-out MAKEFLAGS,$(foreach v,$(MAKEOVERRIDES),$(firstword $(subst =, ,$v)))),$(if $(filter command override,$(firstword $(origin $v))),$v))
endif
RULES := $(shell python3 cosim/rules.py $(B) '$(MAKECMDGOALS)' '$(BLOCK)' '$(SET)' '$(PARAMS)' '$(VEC)' '$(ASKED)' $(MAKEFILES_READ) 2>&1)
ifneq ($(.SHELLSTATUS),0)
$(error $(RULES))
endif
SELECTED := $(filter-out %.mk,$(RULES))
ifneq ($(PARAMS)$(VEC),)
override BLOCK := $(patsubst %/,%,$(dir $(SELECTED)))
override SET := $(notdir $(SELECTED))
endif
include $(B)/sets.mk
WANTED := $(or $(BLOCK),$(BLOCKS))
include cmodel/cmodel.mk $(filter-out Makefile cmodel/%,$(MAKEFILES_READ)) $(filter %.mk,$(RULES))

help: ## use: this list
	@echo "make TARGET [VARIABLE=value]"
	@for g in use verify measure develop; do echo "$$g"; grep -hE "^[a-z-]+:.*## $$g: " $(MAKEFILES_READ) | sort -u | sed -E 's/^([a-z-]+):.*## [a-z]+: /  \1\t/' | expand -t 24; done
clean: ## develop: remove everything generated
	rm -rf $(B)
FORCE:
.PHONY: help clean FORCE
