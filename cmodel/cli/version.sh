#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the source of the version: the first heading of CHANGELOG.md, the last commit of the sources, and whether they were changed
# since.  Outside a git checkout the commit's name is empty.  The file is written when its text changes.  usage: version.sh FILE
file=$1 sources='cmodel rtl cosim traces'
heading=$(sed -n 's/^## //p' CHANGELOG.md | head -n 1)
# shellcheck disable=SC2086  # a list of folders
commit=$(git log -1 --format=%h -- $sources 2>/dev/null)$(git diff --quiet HEAD -- $sources 2>/dev/null || echo +changes)
text=$(printf '#include "cli/command.h"\nconst char memtwin_version[] = "%s (%s)";' "$heading" "$commit")
mkdir -p "$(dirname "$file")"
[ "$text" = "$(cat "$file" 2>/dev/null)" ] || echo "$text" >"$file"
