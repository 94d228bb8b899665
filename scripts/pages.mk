# SPDX-License-Identifier: Apache-2.0
# The pages of a report in headless Chromium, on a screen and on paper; pictures go to build/report/shots.
pages: ## report pages in Chromium at three widths and printed: nothing overflows, nothing is cut, axes cover the data (build/report/shots)
	@scripts/setup.sh scripts/pages/packages.txt
	@python3 -B scripts/pages/check.py $(B)/report --shots $(B)/report/shots --selftest
.PHONY: pages
