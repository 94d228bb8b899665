#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of lists, one a line, that are not there yet.  SETUP=no: names them and the command that installs them, and fails.
# SETUP=note: names them and goes on.  usage: [SETUP=no|note] setup.sh LIST ... | setup.sh --for GOAL ...
# A folder's packages.txt lists what its targets need.  All targets need those of cmodel and cosim; the targets for users need no others.
set -eu
how=${SETUP-}
case $how in
'' | no | note) ;;
*) echo "SETUP: found \"$how\", expected no, or nothing" >&2 && exit 1 ;;
esac
if [ "${1-}" = --for ]; then
    shift
    lists="cmodel/packages.txt cosim/packages.txt"
    for goal; do
        folder=$(awk -v goal="$goal:" 'index($0, goal) == 1 && /## (verify|measure|develop):/ { sub("/.*", "", FILENAME); print FILENAME; exit }' [a-z]*/*.mk)
        [ ! -f "$folder/packages.txt" ] || lists="$lists $folder/packages.txt"
    done
    # shellcheck disable=SC2086  # a list of names without blanks
    set -- $lists
fi
wanted=$(cat "$@" | sort -u)

if ! command -v dpkg-query >/dev/null; then
    [ "$how" = note ] || echo "setup: this is no Debian; needed are the equivalents of: $(echo "$wanted" | tr '\n' ' ')" >&2
    exit 0
fi
# shellcheck disable=SC2086  # a list of packages
there=$(dpkg-query -W -f '${Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/.* installed //p')
missing=
for package in $wanted; do
    case "
$there
" in
    *"
$package
"*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

# Keeps in $missing what this release of Debian has, and names the others: few targets need those, and they say so.
known() {
    all=$missing missing=
    for package in $all; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            missing="$missing $package"
        elif [ "$how" != note ]; then
            echo "setup: this release has no package $package" >&2
        fi
    done
}

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
case $how in
no | note)
    if ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1; then known; fi
    [ -n "$missing" ] || exit 0
    echo "not installed:$missing.  This installs them: ${as_root:+$as_root }apt-get install --no-install-recommends$missing" >&2
    [ "$how" = note ]
    exit
    ;;
esac
echo "  SETUP apt-get install$missing"
apt="$as_root apt-get -qq"
if [ -d debs ]; then # of make artifact DEBS=1: the only source, no network is needed
    state=$(mktemp -d) # update empties its folder of lists
    trap '$as_root rm -rf "$state"' EXIT
    mkdir -p "$state/lists/partial"
    echo "deb [trusted=yes] file:$(pwd | sed 's/ /%20/g')/debs ./" >"$state/sources.list"
    apt="$apt -o Dir::Etc::SourceList=$state/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$state/lists -o APT::Sandbox::User=root"
    $apt update
else
    $apt update
    known
fi
# shellcheck disable=SC2086  # a list of packages
DEBIAN_FRONTEND=noninteractive $apt install -y --no-install-recommends $missing >/dev/null
