# What must hold of every file, without running anything: scripts/check/rules.py says it rule by rule.
CHECK := PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 scripts/check/check.py

check: ## format, cppcheck, RTL lint, port tables, block x face table, include rules, words, documented targets
	@$(CHECK)
	@$(MAKE) ports-in-readme
	@$(MAKE) lint-rtl
check-selftest: ## every rule of make check seen failing on a planted violation
	@$(CHECK) --selftest
.PHONY: check check-selftest
