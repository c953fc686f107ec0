#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_in_ci.sh COOPVK RUN_APP MANIFEST SOURCE
# scripts/in-ci, with the coopvk of this build: drivers, options, exit statuses, and JUnit's file. The manifest is the
# reference device's.
set -euo pipefail

coopvk=$1 app=$2 manifest=$3 in_ci=$4/scripts/in-ci
recipe=$4/cmake/package/container/Containerfile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset "${!COOPVK_@}"
export XDG_CONFIG_HOME=$work/none COOPVK_REFERENCE_EXTENSIONS=none

fail() {
    printf 'test_in_ci: %s\n' "$*" >&2
    exit 1
}
# expect STATUS ARGUMENT...: of in-ci; its output is in $out.
expect() {
    local status=$1 got=0
    shift
    out=$("$in_ci" --coopvk "$coopvk" "$@" 2>&1) || got=$?
    [[ $got == "$status" ]] || fail "status $got, not $status: $*"$'\n'"$out"
}
has() { [[ $out == *"$1"* ]] || fail "no '$1' in"$'\n'"$out"; }
steps=(instance physical matrix-device pipeline)

# A program that needs matrices runs on both drivers.
expect 0 -- "$app" "${steps[@]}"
expect 0 --driver "$manifest" --require VK_KHR_cooperative_matrix --strict -- "$app" "${steps[@]}"
expect 125 --driver "$manifest" --require VK_KHR_cooperative_matrix -- "$app" instance physical
# Beside the program, as an installation has it.
mkdir -p "$work/prefix"/{bin,share/coopvk}
ln -s "$coopvk" "$work/prefix/bin/coopvk"
expect 1 --driver reference -- "$app" "${steps[@]}"
has 'came without the reference device'
expect 1 --driver none -- "$app"
has 'none is no driver'
expect 1 --driver lavapipe
has 'no command after --'
expect 1 --driver "$manifest" --junit "$work/none/result.xml" -- "$app"
has "cannot write $work/none/result.xml"
for program in "$work/none" "$work"; do
    coopvk=$program expect 1 -- "$app"
    has "$program is no program"
done

# In the image of the recipe: these files of the clone alone, and the line that the recipe writes.
mkdir -p "$work/image/scripts"
read -ra files < <(sed -nE 's/^COPY (scripts.*) \/usr.*/\1/p' "$recipe")
cp "${files[@]/#/$4/}" "$work/image/scripts/"
line=$(sed -nE "s/^RUN printf '(.*)' .*/\1/p" "$recipe")
# shellcheck disable=SC2059  # as the recipe does
printf "$line" | sed "s|/usr/local/share/coopvk|$work/image|; s|/usr/local/bin/coopvk|$coopvk|" >"$work/image/in-ci"
chmod +x "$work/image/in-ci"
"$work/image/in-ci" --driver "$manifest" --strict -- "$app" "${steps[@]}" >"$work/log" 2>&1 || fail "image: $(<"$work/log")"

# JUnit's file: well-formed, with the command, its output and its status.
expect 0 --driver "$manifest" --junit "$work/good.xml" -- "$app" "${steps[@]}"
expect 7 --driver "$manifest" --junit "$work/bad.xml" -- sh -c 'echo "<&\"" ; exit 7'
expect 125 --driver "$manifest" --require VK_KHR_cooperative_matrix --junit "$work/required.xml" -- "$app" instance physical
python3 - "$work" <<'PYTHON'
import sys
import xml.etree.ElementTree as xml
good, bad = (xml.parse(f"{sys.argv[1]}/{name}.xml").getroot() for name in ("good", "bad"))
assert good.attrib["failures"] == "0" and good.find("testcase/failure") is None
assert bad.attrib["failures"] == "1" and bad.find("testcase/failure").attrib["message"] == "status 7"
required = xml.parse(f"{sys.argv[1]}/required.xml").getroot().find("testcase/failure").attrib["message"]
assert required == "status 125: required: VK_KHR_cooperative_matrix was not emulated", required
assert bad.find("testcase/system-out").text.startswith('<&"')
assert bad.find("testcase").attrib["name"].startswith("sh -c echo")
PYTHON
