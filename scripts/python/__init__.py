# SPDX-License-Identifier: Apache-2.0
"""Generator of the Python module libmemtwin."""
