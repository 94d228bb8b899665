# Studies: studies/NAME.toml, run, kept in build/study/NAME.sqlite, and shown beside the paper.  studies/README.md says how to write one.
SIZE ?= reduced
PROGRAM ?= $(MEMTWIN)

study: $(PROGRAM) ## a study beside its paper: NAME= (none: a list; all) [SIZE=tiny|reduced|full] [PROGRAM=memtwin]
	@PYTHONPATH=scripts python3 -B -m study '$(NAME)' --size '$(SIZE)' --jobs $(JOBS) --program $(PROGRAM) --build $(B)
.PHONY: study
