# SPDX-License-Identifier: Apache-2.0
"""Placement and routing of a netlist of `make synth`: make layout, make layout-check (README.md)."""
