# Studies: studies/NAME.toml, run, kept in build/study/NAME.sqlite, and shown beside the paper.  studies/README.md says how to write one.
SIZE ?= reduced
VERIFY ?= 0
STUDIES ?= studies
PROGRAM ?= $(MEMTWIN)
STUDY := PYTHONPATH=scripts python3 -B -m

study: $(PROGRAM) ## use: a study beside its paper: NAME= (none: a list) [SIZE=tiny|reduced|full] [VERIFY=points] [PROGRAM=] [STUDIES=folder] [UPDATE=1]
	@$(STUDY) study '$(NAME)' --size '$(SIZE)' --jobs $(JOBS) --verify $(VERIFY) --studies '$(STUDIES)' $(if $(UPDATE),--update) --program $(PROGRAM) --build $(B)
study-selftest: $(PROGRAM) ## verify: the study engine: every mistake in a file is named, a killed study goes on, only what changed runs again
	@$(STUDY) study.selftest $(PROGRAM) $(B)/study-selftest
.PHONY: study study-selftest
