#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Locks a build folder for one make.  Another make waits for the lock, and prints which process holds it.  usage: lock.sh FOLDER PROCESS [end]
# FOLDER/make.lock contains the process id and the start time of the make that holds the lock.  A make that this one has started goes on.
# The lock of a process that has ended is free.  end: releases the lock, if PROCESS holds it.
set -euo pipefail
file=$1/make.lock me=$2 said=
# The start time of a process that runs; empty for a process that has ended, also for a zombie.
began() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | grep -v '^[ZX]' | cut -d' ' -f20; }
parent() { sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f2; }
command_of() { tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline"; }
is_below() { # whether process $2 has started process $1, directly or not
    local p=$1
    while [ "$p" -gt 1 ] && [ "$p" != "$2" ]; do p=$(parent "$p"); done
    [ "$p" = "$2" ]
}

mkdir -p "$1"
exec 9>>"$file"
while :; do
    flock 9
    read -r owner since <"$file" || owner='' since='' # an empty file: the lock is free
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
    [ -n "$said" ] || echo "make: waits for $(command_of "$owner")(process $owner), which builds in $1" >&2
    said=1
    sleep 0.2
done
