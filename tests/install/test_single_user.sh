#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_single_user.sh SOURCE
# scripts/single_user.pl: calls that give files to other users succeed, and change nothing; others, and what they say of
# errors, stay.
# shellcheck source=common.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"

if ! command -v perl >/dev/null; then
    echo 'SKIPPED: no perl'
    exit 77
fi
echo text >"$work/file"
before=$(stat -c '%u %g' "$work/file")
(cd "$work" && perl "$1/scripts/single_user.pl" bash -euo pipefail -c '
    chown 5:6 file
    chown --no-dereference 5:6 file
    perl -e "chown(5, 6, *STDIN) or die \$!" <file
    [[ $(<file) == text ]]
    chmod 640 file
    ! cat absent 2>error
    grep -q "No such file" error') || fail 'a command failed'
[[ $(stat -c '%u %g' "$work/file") == "$before" ]] || fail 'the file has another owner'
[[ $(stat -c %a "$work/file") == 640 ]] || fail 'the file kept its mode'
status=0
perl "$1/scripts/single_user.pl" sh -c 'exit 7' || status=$?
[[ $status == 7 ]] || fail "status $status"

echo 'test_single_user: passed'
