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
# For a make within make: as many jobs as there are cores, unless the caller's make has its own.
jobs = $(if $(filter --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))

include cmodel/cmodel.mk
include $(sort $(wildcard cosim/*.mk tb/*.mk tests/*.mk synth/*.mk scripts/*.mk))

help: ## this list
	@echo "memtwin: make TARGET [VARIABLE=value]"
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort -u | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12
clean: ## remove everything generated
	rm -rf $(B)
.PHONY: help clean
