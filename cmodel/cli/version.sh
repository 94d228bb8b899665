#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the source of the version: the first heading of CHANGELOG.md, the last commit of the sources, and "+changes" if they differ
# from it or have a new file.  Sources without git have the commit that .commit names (make artifact), or the heading alone.  FILE is written when its text changes.  usage: version.sh FILE
set -eu
file=$1 sources='cmodel rtl cosim traces' commit=
heading=$(sed -n 's/^## //p' CHANGELOG.md | head -n 1)
# shellcheck disable=SC2086  # a list of folders
if git rev-parse --verify --quiet HEAD >/dev/null 2>&1 && [ -z "$(git rev-parse --show-cdup)" ]; then
    commit=$(git log -1 --format=%h -- $sources)
    [ -z "$commit" ] || [ -z "$(git --no-optional-locks status --porcelain --untracked-files=normal -- $sources)" ] || commit=$commit+changes
elif [ -f .commit ]; then
    commit=$(cat .commit)
fi
text=$(printf '#include "base/version.h"\nconst char version_text[] = "%s";' "$heading${commit:+ ($commit)}")
mkdir -p "$(dirname "$file")"
[ -e "$file" ] && [ "$text" = "$(cat "$file")" ] || echo "$text" >"$file"
