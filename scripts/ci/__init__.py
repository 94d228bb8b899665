# SPDX-License-Identifier: Apache-2.0
"""What .ci/run and make deep run, how long it took, and what has passed."""
