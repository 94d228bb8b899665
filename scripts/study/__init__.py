# SPDX-License-Identifier: Apache-2.0
"""make study: reads and checks studies/NAME.toml, runs its points, stores them in a database, and shows them beside the paper (studies/README.md)."""
