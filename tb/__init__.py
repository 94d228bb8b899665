# SPDX-License-Identifier: Apache-2.0
"""The prover, properties, DPI-C and four-state simulation.  The root of the tree is the import root: python3 -B -m tb.FOLDER.MODULE there."""
