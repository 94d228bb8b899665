#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of lists, one a line, that are not there yet.  SETUP=no: names them and the command that installs them, and fails.
# SETUP=note: names them and goes on.  usage: [SETUP=no|note] setup.sh LIST ...
set -eu
how=${SETUP-}
case $how in
'' | no | note) ;;
*) echo "SETUP: found \"$how\", expected no, or nothing" >&2 && exit 1 ;;
esac
wanted=$(sed '/^#/d' "$@")

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

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
case $how in
no | note)
    echo "not installed:$missing.  This installs them: ${as_root:+$as_root }apt-get install --no-install-recommends$missing" >&2
    [ "$how" = note ]
    exit
    ;;
esac
echo "  SETUP apt-get install$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086  # a list of packages
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
