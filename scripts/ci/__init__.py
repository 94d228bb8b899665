# SPDX-License-Identifier: Apache-2.0
"""Steps of .ci/run and make deep: selection by changed inputs, run times, and the table of passed steps."""
