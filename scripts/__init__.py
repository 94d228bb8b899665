# SPDX-License-Identifier: Apache-2.0
"""Studies, checks, installation, pages.  The root of the tree is the import root: python3 -B -m scripts.MODULE there."""
