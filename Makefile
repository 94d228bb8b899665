# SPDX-License-Identifier: Apache-2.0
# memtwin: hardware for GPU memory systems that comes with its own proof.  `make help` says what each target does.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory
B := build

# A block is a folder of rtl/ that has a port list; lib holds what blocks share.
BLOCKS := $(sort $(notdir $(patsubst %/,%,$(filter-out rtl/lib/,$(wildcard rtl/*/)))))
# Blocks made of other blocks: words assembly/part (B_PARTS of the port list).
PARTS := $(shell python3 cosim/parts.py)
parts-of = $(patsubst $1/%,%,$(filter $1/%,$(PARTS)))
JOBS ?= $(shell nproc)
# An unknown BLOCK, or JOBS that is no number, is refused in one line.
ifneq ($(filter-out $(BLOCKS),$(if $(filter new,$(MAKECMDGOALS)),,$(BLOCK))),)
$(error $(shell python3 cosim/params.py block $(patsubst %,'%',$(BLOCK)) 2>&1))
endif
whole-number = $(if $(filter command environment,$(firstword $(origin $1))),$(if $(shell [[ '$($1)' =~ ^(0|[1-9][0-9]{0,17})$$ ]] && [ '$($1)' -ge $2 ] || echo no),$(error \
	$1: found "$($1)", expected a whole number from $2 on)))
$(call whole-number,JOBS,1)$(call whole-number,SEED,0)$(call whole-number,CYCLES,0)
# For a make within make: as many jobs as there are cores, unless the caller's make has its own.
jobs = $(if $(filter --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))

# Inputs of a product besides file contents are kept as text: options, parameters, the list of sources, versions of
# tools.  made-NAME is such a text, $(B)/made/NAME keeps it, and is written when it changes: a product that depends on the text has
# $(call made,NAME) among its prerequisites, and is built again then.  (+: make -n reads the texts too, and is right.)
made = $(1:%=$(B)/made/%)
same-text = $(and $(findstring |$1|,|$2|),$(findstring |$2|,|$1|))
keep-text = $(if $(call same-text,$(strip $2),$(strip $(file <$1))),,$(file >$1,$2))
$(B)/made/%: FORCE | $(B)/made
	+$(call keep-text,$@,$(or $(made-$*),$(error no makefile says what $@ is)))
$(B)/made:
	@mkdir -p $@
# Defines the rules $2 and keeps their own text as input NAME, $1, of their products.
rules = $(eval made-$1 := $$2)$(eval $2)
made-gcc = $(shell $(CC) --version)
made-g++ = $(shell $(CXX) --version)
# A compiler takes its options from the makefiles alone.
unexport CFLAGS CXXFLAGS CPPFLAGS LDFLAGS

include cmodel/cmodel.mk
include $(sort $(wildcard cosim/*.mk tb/*.mk tests/*.mk synth/*.mk scripts/*.mk))

# A command-line variable that no makefile reads, or not for this goal, is an error: asked.py.
ifeq ($(MAKELEVEL),0)
ASKED := $(filter-out MAKEFLAGS,$(foreach v,$(MAKEOVERRIDES),$(firstword $(subst =, ,$v))))
endif
ifneq ($(ASKED),)
UNREAD := $(shell python3 cosim/asked.py '$(MAKECMDGOALS)' '$(filter $(foreach v,$(ASKED),$(if $(filter command override,$(firstword $(origin $v))),$v)),$(ASKED))' $(filter-out %.d,$(MAKEFILE_LIST)))
ifneq ($(UNREAD),)
$(error $(UNREAD))
endif
endif

help: ## this list
	@echo "memtwin: make TARGET [VARIABLE=value]"
	@grep -hE '^[a-z-]+:.*## ' $(filter-out %.d,$(MAKEFILE_LIST)) | sort -u | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12
clean: ## remove everything generated
	rm -rf $(B)
FORCE:
.PHONY: help clean FORCE
