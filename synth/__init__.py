# SPDX-License-Identifier: Apache-2.0
"""Area, timing and power of the blocks.  The root of the tree is the import root: python3 -B -m synth.MODULE there."""
