# What must hold of every file, quickly: scripts/check/ says it rule by rule.
CHECK := PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 scripts/check

check: ## format, cppcheck, RTL lint, block x face table, port tables, include rules, words, documents: one line a rule
	@$(CHECK)/check.py
check-selftest: ## every rule of make check seen failing on a planted violation
	@$(CHECK)/selftest.py
.PHONY: check check-selftest
