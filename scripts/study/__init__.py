# SPDX-License-Identifier: Apache-2.0
"""make study: studies/NAME.toml, read, checked, run, kept in a database, and shown beside the paper.  studies/README.md says how to write one."""
