# SPDX-License-Identifier: Apache-2.0
# Studies: studies/NAME.toml, run, kept in build/study/NAME.sqlite, and shown beside the paper.  studies/README.md says how to write one.
SIZE ?= reduced
VERIFY ?= 0
STUDIES ?= studies
PROGRAM ?= $(MEMTWIN)
STUDY := PYTHONPATH=scripts python3 -B -m
# A study with a case that runs as RTL needs the program with RTL.
STUDY_RTL = $(if $(shell grep -lsE '^[^#]*\<rtl *=' $(STUDIES)/$(if $(filter all,$(NAME)),*,$(NAME)).toml),$(B)/memtwin-rtl)

study: $(PROGRAM) ## use: a study beside its paper: NAME= (none: a list) [SIZE=tiny|reduced|full] [ONLY=] [VERIFY=points] [PROGRAM=] [STUDIES=folder] [UPDATE=1]
	@$(if $(STUDY_RTL),$(MAKE) $(jobs) $(STUDY_RTL))
	@$(STUDY) study '$(NAME)' --size '$(SIZE)' --only $(ONLY) --jobs $(JOBS) --verify $(VERIFY) --studies '$(STUDIES)' $(if $(UPDATE),--update) --program $(PROGRAM) --build $(B)
study-selftest: $(PROGRAM) $(B)/memtwin-rtl ## verify: the study engine: every mistake in a file is named, a killed study goes on, only what changed runs again
	@$(STUDY) study.selftest $(PROGRAM) $(B)/memtwin-rtl $(B)/study-selftest
.PHONY: study study-selftest
