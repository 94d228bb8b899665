formal: ## properties of the blocks by bounded model checking and induction: [BLOCK=]; the runs are in tb/formal/*.runs
	@python3 tb/formal/formal.py $(or $(BLOCK),$(filter $(patsubst tb/formal/%.runs,%,$(wildcard tb/formal/*.runs)),$(BLOCKS))) --jobs $(JOBS) --out $(B)/formal
.PHONY: formal
