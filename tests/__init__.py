# SPDX-License-Identifier: Apache-2.0
"""Fuzzing, mutants and golden counters.  The root of the tree is the import root: python3 -B -m tests.FOLDER.MODULE there."""
