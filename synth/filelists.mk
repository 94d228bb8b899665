# rtl/<b>/<b>.f and rtl/<b>/<b>.core: what a design needs of a block, for tools that know nothing of this build.
<<<<<<< HEAD
filelists: ## every block read by Verilator, Icarus and Yosys by its file list alone; lists are what the sources say (UPDATE=1: write them) [BLOCK=]
=======
filelists: ## verify: rtl/*/*.f and *.core are what the sources say; each block lints by its list alone (UPDATE=1: write them) [BLOCK=]
>>>>>>> 119e217f91c60593b6c35703323fe839cec2cd2c
	@PYTHONDONTWRITEBYTECODE=1 python3 synth/filelists.py $(if $(UPDATE),--update) --lint $(or $(BLOCK),$(BLOCKS))
.PHONY: filelists
