# SPDX-License-Identifier: Apache-2.0
"""memtwin beside Accel-Sim: the same traces on the same machines, counter by counter."""
