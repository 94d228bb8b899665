#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One make at a time writes a build folder; another one waits until it has ended, and says so.  usage: lock.sh FOLDER PROCESS [end]
# FOLDER/make.lock holds the process and the time of its start.  A make below another one goes on; what a killed make leaves is taken over.
# end: PROCESS goes on without writing the folder, if the folder was its own.
set -euo pipefail
file=$1/make.lock me=$2 said=
began() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | grep -v '^[ZX]' | cut -d' ' -f20; } # nothing of one that has ended, though nobody has waited for it
above() { sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f2; }
is_below() { # whether process $1 is below process $2
    local p=$1
    while [ "$p" -gt 1 ] && [ "$p" != "$2" ]; do p=$(above "$p"); done
    [ "$p" = "$2" ]
}

mkdir -p "$1"
exec 9>>"$file"
while :; do
    flock 9
    owner='' since=''
    read -r owner since <"$file" || :
    if [ "${3-}" = end ]; then
        [ "$owner" != "$me" ] || : >"$file"
        exit
    fi
    if [ -z "$since" ] || [ "$(began "$owner")" != "$since" ]; then
        echo "$me $(began "$me")" >"$file"
        exit
    fi
    if is_below "$me" "$owner"; then exit; fi
    flock -u 9
    [ -n "$said" ] || echo "make: waits for $(tr '\0' ' ' <"/proc/$owner/cmdline" 2>/dev/null || :)(process $owner), which builds in $1" >&2
    said=1
    sleep 0.2
done
