# SPDX-License-Identifier: Apache-2.0
"""Lists, parameters and rules of the blocks.  The root of the tree is the import root: python3 -B -m cosim.MODULE there."""
