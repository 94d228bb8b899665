#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The targets that have a text, "target: ## group: text", in four groups.  usage: help.sh MAKEFILE ...
echo 'make TARGET [VARIABLE=value]'
for group in use verify measure develop; do
    echo "$group"
    grep -hE "^[a-z-]+:.*## $group: " "$@" | sort | sed -E 's/^([a-z-]+):.*## [a-z]+: /  \1\t/' | expand -t 24
done
