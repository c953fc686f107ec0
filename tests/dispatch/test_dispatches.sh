#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_dispatches.sh COOPVK APPLICATION
# The inputs of a dispatch are kept however it is recorded and its memory bound. `coopvk check`
# repeats it: the rewritten shader and the device gave what the original gives with these inputs. So does the device again.
set -euo pipefail

coopvk=$1 application=$2
source=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'test_dispatches: %s\n' "$*" >&2
    exit 1
}

# run ROUTE INPUTS: runs the application with this setting; what it and the layers say is in $said.
run() {
    local rc=0
    rm -rf "$work/dump"
    COOPVK_ENABLE=1 COOPVK_DUMP_DIR=$work/dump COOPVK_DUMP_INPUTS=$2 \
        "$application" "$1" "$work/result" >"$work/said" 2>&1 || rc=$?
    said=$(<"$work/said")
    [[ $rc == 0 ]] || fail "$1: status $rc"$'\n'"$said"
    [[ $said != *Validation* && $said != *VUID* ]] || fail "$1: validation"$'\n'"$said"
}

# expect STATUS TEXT ARGUMENT...: `coopvk check ARGUMENT...` has this exit status and prints TEXT; or `prove`.
command=check
expect() {
    local status=$1 text=$2 out rc=0
    shift 2
    out=$("$coopvk" "$command" "$@" 2>&1) || rc=$?
    [[ $rc == "$status" ]] || fail "status $rc, not $status: $*"$'\n'"$out"
    [[ $out == *"$text"* ]] || fail "no '$text' from $*"$'\n'"$out"
}

# Whether the result is what the device made of one of the kept regions.
is_kept() {
    python3 - "$1" "$work/result" <<'PYTHON'
import json, pathlib, sys
path = pathlib.Path(sys.argv[1])
dispatch = json.loads(path.read_text())["dispatch"]
data = (path.parent / dispatch["file"]).read_bytes()
result = pathlib.Path(sys.argv[2]).read_bytes()
after = [data[r["after"]:r["after"] + r["size"]] for r in dispatch["regions"]]
before = [data[r["before"]:r["before"] + r["size"]] for r in dispatch["regions"]]
sys.exit(not any(result in bytes for bytes in after) or any(result in bytes for bytes in before)
         or dispatch["missing"] != [])
PYTHON
}

for route in sets dynamic push template push_template inline indirect base secondary twice shared \
    local address; do
    run $route 1M
    [[ -z $said ]] || fail "$route: $said"
    files=("$work"/dump/*.dispatch*.json)
    [[ ${#files[@]} == 1 && -f ${files[0]} ]] || fail "$route: ${files[*]}"
    # Of a command buffer that is submitted twice, the first time is kept.
    [[ $route == twice ]] || is_kept "${files[0]}" || fail "$route: another result"
    expect 0 'core: agrees' "${files[0]}"
    expect 0 'the device: agrees' "${files[0]}"
    # Again on the device, through coopvk.
    COOPVK_ENABLE=1 expect 0 'the device: agrees' --on-device "${files[0]}"
    "$coopvk" rewrite "${files[0]}" -o "$work/rewritten.spv" || fail "$route: no rewrite"
    [[ -n $(find "$work/dump" -name '*.spv' -exec cmp -s "$work/rewritten.spv" {} \; -print) ]] ||
        fail "$route: another rewrite"
done

# Other groups, and another module in place of the rewritten one.
run sets 1M
file=$(echo "$work"/dump/*.dispatch0.json)
expect 1 'the device: differs' --groups 1 "$file"
sed 's/z += coop/z -= coop/' "$source/product.glsl" >"$work/product.glsl"
cp "$source/product.comp" "$work"
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/wrong.spv" "$work/product.comp"
expect 1 'auto, plain schedule: differs' --against "$work/wrong.spv" "$file"
expect 1 'set 1, binding 1, byte 0: ' --against "$work/wrong.spv" "$file"

# Where two bits of its memory decide, a proof is one for each of their values; where a word does, for that word.
for bits in 5 4; do
    cat >"$work/dump/cases$bits.comp" <<GLSL
#version 460
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer A { uint a[4]; };
layout(binding = 1) buffer C { uint c[4]; };
void main() {
    if (gl_LocalInvocationIndex == 0) { if ((a[0] & 5) == $bits) c[1] = a[1]; c[a[2] & 255] = a[3]; }
}
GLSL
    sed 's/ c\[a\[2\] & 255\] = a\[3\];//' "$work/dump/cases$bits.comp" >"$work/dump/fewer$bits.comp"
    for name in cases fewer; do
        glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/dump/$name$bits.spv" "$work/dump/$name$bits.comp"
    done
done
python3 - "$file" <<'PYTHON'
import json, pathlib, sys
path = pathlib.Path(sys.argv[1])
request = json.loads(path.read_text())
places = [{"set": 0, "binding": n, "element": 0, "region": n, "offset": 0, "size": 16} for n in (0, 1)]
request["dispatch"] |= {"file": "few.bin", "regions": [{"size": 16, "before": 0}, {"size": 16, "before": 16}],
                        "descriptors": places, "addresses": [], "blocks": [], "pushConstants": "",
                        "groups": [1, 1, 1]}
(path.parent / "few.bin").write_bytes(bytes(8) + b"\2" + bytes(23))
for name in ("cases5", "fewer5"):
    (path.parent / f"{name}.json").write_text(json.dumps(request | {"shader": f"{name}.spv", "specialization": []}))
PYTHON
command=prove
expect 0 ', 4 cases' --against "$work/dump/fewer5.spv" "$work/dump/fewer5.json"
expect 2 'not shown to be the same' --against "$work/dump/fewer4.spv" "$work/dump/fewer5.json"
expect 2 'OpAccessChain' --against "$work/dump/cases5.spv" "$work/dump/cases5.json"
parameters=(--parameters 1 --against "$work/dump/cases5.spv" "$work/dump/cases5.json")
expect 0 ': proved for these parameters (' "${parameters[@]}"
expect 0 '): set 0, binding 0, byte 8: 02' "${parameters[@]}"
expect 0 '"bytes": "02"' --json "${parameters[@]}"
[[ $("$coopvk" prove "${parameters[@]}" 2>&1) != *made-up* ]] || fail 'a dispatch has its values'
expect 2 'not shown to be the same' --parameters 1 --against "$work/dump/fewer5.spv" "$work/dump/cases5.json"
command=check

# What the device computed is changed, then the file is too short.
bytes=${file%.json}.bin
python3 - "$file" <<'PYTHON'
import json, pathlib, sys
path = pathlib.Path(sys.argv[1])
dispatch = json.loads(path.read_text())["dispatch"]
kept = next(d for d in dispatch["descriptors"] if d["binding"] == 1)
data = bytearray((path.parent / dispatch["file"]).read_bytes())
data[dispatch["regions"][kept["region"]]["after"] + kept["offset"] + 3] ^= 1
(path.parent / dispatch["file"]).write_bytes(data)
PYTHON
expect 1 'the device: differs' "$file"
expect 1 'core: agrees' "$file"
truncate -s 100 "$bytes"
expect 2 'too short' "$file"

# What exceeds the size is named, in the log and in the dump, and the program goes on.
run sets 2K
[[ $said == *'set 1, binding 1 (16384 bytes), which exceeds dump_inputs, is not kept'* ]] ||
    fail "nothing of binding 1: $said"
expect 2 'was not kept' "$work"/dump/*.dispatch0.json
run address 2K
[[ $said == *'exceeds dump_inputs'* || $said == *'more buffers with addresses is not kept'* ]] ||
    fail "nothing of addresses: $said"

# Off, none wanted, and nonsense.
for inputs in '' 0 1M,0; do
    run sets "$inputs"
    [[ -z $said && -z $(find "$work/dump" -name '*.dispatch*') ]] || fail "'$inputs': $said"
done
run sets much
[[ $said == *"setting dump_inputs: no size, nor a size and a number: 'much'"* ]] || fail "$said"
echo 'test_dispatches: passed'
