#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages listed in a file, one a line, that are not there yet.
set -eu
list=$1

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is no Debian; needed are the equivalents of: $(tr '\n' ' ' <"$list")" >&2
    exit 0
fi
missing=
for package in $(grep -v '^#' "$list"); do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
    *' installed') ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
echo "  SETUP apt-get install$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086  # a list of packages
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
