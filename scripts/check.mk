# SPDX-License-Identifier: Apache-2.0
# What must hold of every file, quickly: scripts/check/ says it rule by rule.
CHECK := PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 scripts/check

check: ## format, cppcheck, RTL lint, block x face table, include rules, words, documents: one line a rule [BLOCK=: faces and lint of it alone]
	@$(CHECK)/check.py $(BLOCK)
check-selftest: ## every rule of make check seen failing on a planted violation
	@$(CHECK)/selftest.py
build-selftest: ## in a copy of the tree: what must be built or measured again is, nothing else; bad input is one line
	@JOBS=$(JOBS) /usr/bin/python3 -B scripts/build_selftest.py $(B)
.PHONY: check check-selftest build-selftest
