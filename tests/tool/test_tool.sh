#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_tool.sh COOPVK [SANITIZERS]
# The command line tool from the outside: what it prints, writes and starts.
set -euo pipefail

coopvk=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}

fail() {
    printf 'test_tool: %s\n' "$*" >&2
    exit 1
}

# expect TEXT COMMAND...: the command succeeds and prints TEXT.
expect() {
    local text=$1 out
    shift
    out=$("$@" 2>&1) || fail "failed: $*"$'\n'"$out"
    [[ $out == *"$text"* ]] || fail "no '$text' from $*"$'\n'"$(head -n 20 <<<"$out")"
}

# refuse TEXT COMMAND...: the command fails and says TEXT.
refuse() {
    local text=$1 out
    shift
    ! out=$("$@" 2>&1) || fail "succeeded: $*"
    [[ $out == *"$text"* ]] || fail "no '$text' from $*"$'\n'"$(head -n 20 <<<"$out")"
}

expect 'coopvk ' "$coopvk" --version
refuse "no command 'nonsense'" "$coopvk" nonsense --help

# wrong STATUS LINE ARGUMENT...: this status, and nothing but this line.
wrong() {
    local status=$1 line=$2 out got=0
    shift 2
    out=$("$coopvk" "$@" 2>&1) || got=$?
    [[ $got == "$status" && $out == "$line" ]] || fail "status $got, not $status: $*"$'\n'"$out"
}
wrong 2 'coopvk: give a command (see coopvk --help)'
wrong 2 'coopvk: there is no option --nothing (see coopvk --help)' --nothing
wrong 2 'coopvk rewrite: give IN.spv (see coopvk rewrite --help)' rewrite
wrong 2 'coopvk rewrite: there is no option --nothing (see coopvk rewrite --help)' rewrite --nothing
wrong 2 'coopvk info: one argument too many: text (see coopvk info --help)' info text
wrong 2 'coopvk-compare check: give IN.spv (see coopvk-compare check --help)' check
wrong 2 'coopvk-compare: there is no option --nothing (see coopvk-compare --help)' compare --nothing
# A program may end with 2.
wrong 125 'coopvk run: there is no option -l (see coopvk run --help)' run -l ls
wrong 125 'coopvk run: --as: x not in {own,nvidia,amd} (see coopvk run --help)' run --as x -- true
wrong 125 'coopvk: no program given (coopvk run [options] -- APP [arguments])' run

# Help is as wide as the terminal.
for command in run doctor info advise config report rewrite check prove selftest tune probe compare; do
    for width in 60 100; do
        long=$(COLUMNS=$width "$coopvk" "$command" --help | grep -vE ' Excludes: |^ +[^ ]+ *$' | grep -E ".{$((width + 1))}") ||
            continue
        fail "$command --help: wider than $width: $long"
    done
done
expect '(own, nvidia, amd)' env COLUMNS=100 "$coopvk" run --help
(($(COLUMNS=60 "$coopvk" run --help | wc -l) > $(COLUMNS=100 "$coopvk" run --help | wc -l))) || fail 'help has one width'

# What is missing is named, with what to do.
missing=$work/none.json
refuse "VK_DRIVER_FILES names $missing, and there is no such file: unset VK_DRIVER_FILES" \
    env VK_DRIVER_FILES="/dev/null:$missing" "$coopvk" info
refuse "VK_ICD_FILENAMES names $missing, and there is no such file" \
    env -u VK_DRIVER_FILES VK_ICD_FILENAMES="$missing" "$coopvk" info
refuse "no Vulkan driver could be started of those that VK_DRIVER_FILES names: $work" \
    env VK_DRIVER_FILES="$work" "$coopvk" info
refuse "coopvk compare: VK_DRIVER_FILES names $missing" env VK_DRIVER_FILES="$missing" "$coopvk" compare --quick

# info
expect 'VK_KHR_cooperative_matrix' "$coopvk" info
expect 'emulated' env LP_NATIVE_VECTOR_WIDTH=128 "$coopvk" info
expect 'emulated' "$coopvk" info --emulate all
expect '"subgroupSize": 4' env LP_NATIVE_VECTOR_WIDTH=128 "$coopvk" info --json
expect 'f16 with f32 sums: converted to f32' "$coopvk" info --emulate all
expect '"means": "tiles of the subgroup"' "$coopvk" info --emulate all --json
expect 'e4m3 * f16 as e4m3' "$coopvk" info --emulate all
expect 'A subgroup is a vector register' "$coopvk" info --plan
expect '"name": "most open sums of a lane"' "$coopvk" info --plan --json
refuse 'unknown extension' "$coopvk" info --emulate VK_KHR_nothing

# rewrite
cat >"$work/mul.comp" <<'GLSL'
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kStride = 16;
layout(set = 0, binding = 0) buffer A { float16_t a[]; };
layout(set = 0, binding = 1) buffer C { float c[]; };
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
    coopMatLoad(x, a, 0, kStride, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, a, 0, kStride, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    z = coopMatMulAdd(x, y, z);
    coopMatStore(z, c, 0, kStride, gl_CooperativeMatrixLayoutRowMajor);
}
GLSL
glslangValidator --quiet --target-env vulkan1.3 -o "$work/mul.spv" "$work/mul.comp"
"$coopvk" rewrite "$work/mul.spv" -o "$work/out.spv" --subgroup-size 32 --spec 0=32 \
    --spec 1=24:u32 --validate
spirv-val --target-env vulkan1.3 "$work/out.spv"
[[ $(spirv-dis "$work/out.spv") != *CooperativeMatrix* ]] || fail 'cooperative matrices are left'
expect 'OpEntryPoint GLCompute' "$coopvk" rewrite "$work/mul.spv" --text --subgroup-size 32 --spec 0=32
expect 'input OpCooperativeMatrixMulAddKHR, word' "$coopvk" rewrite "$work/mul.spv" --text --lines \
    --subgroup-size 32
"$coopvk" info --json >"$work/devices.json"
"$coopvk" rewrite "$work/mul.spv" -o "$work/device.spv" --device "$work/devices.json"
"$coopvk" rewrite "$work/mul.spv" -o "$work/same.spv" --device 0
cmp "$work/device.spv" "$work/same.spv"
expect 'unchanged' "$coopvk" rewrite "$work/out.spv" -o "$work/again.spv" --subgroup-size 32
cmp "$work/out.spv" "$work/again.spv"
# Subgroups are emulated, too, where the device's are narrower.
cat >"$work/total.comp" <<'GLSL'
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Out { uint total; };
void main() { total = subgroupAdd(total); }
GLSL
glslangValidator --quiet --target-env vulkan1.3 -o "$work/total.spv" "$work/total.comp"
sed 's/"driverSubgroupSize": 0/"driverSubgroupSize": 8/' "$work/devices.json" >"$work/narrow.json"
expect 'unchanged' "$coopvk" rewrite "$work/total.spv" --text --device "$work/devices.json"
expect 'coopvk_staging' "$coopvk" rewrite "$work/total.spv" --text --device "$work/narrow.json" --subgroup-size 32
expect 'vectors: rows of weights at once' "$coopvk" rewrite "$work/mul.spv" --plan --subgroup-size 32
refuse 'mul.comp' "$coopvk" rewrite "$work/mul.comp" -o "$work/x.spv" --subgroup-size 32
printf 'neither words' >"$work/text4"
truncate -s 64 "$work/text4"
refuse 'text4 is no SPIR-V' "$coopvk" rewrite "$work/text4" -o "$work/x.spv" --subgroup-size 32
refuse 'mul.comp is no SPIR-V, but text' "$coopvk" rewrite "$work/mul.comp" --text --subgroup-size 32
for size in 1 4 16; do
    head -c $size "$work/mul.spv" >"$work/short"
    refuse "short is no $([[ $size == 1 ]] || echo 'whole ')SPIR-V" "$coopvk" rewrite "$work/short" --text --subgroup-size 32
done
: >"$work/empty"
refuse 'empty is empty' "$coopvk" rewrite "$work/empty" --text --subgroup-size 32
refuse 'none: No such file' "$coopvk" rewrite "$work/none" --text --subgroup-size 32
refuse "cannot read '': " "$coopvk" rewrite '' --text --subgroup-size 32
refuse "cannot read $work: it is a folder" "$coopvk" rewrite "$work" -o "$work/x.spv" --subgroup-size 32
[[ ! -c /dev/zero ]] || refuse "cannot read /dev/zero: it is a device" timeout 60 "$coopvk" rewrite /dev/zero -o "$work/x.spv"
# Another order of bytes, a later version.
python3 - "$work" <<'PYTHON'
import pathlib, sys
work = pathlib.Path(sys.argv[1])
words = (work / "mul.spv").read_bytes()
(work / "swapped.spv").write_bytes(b"".join(words[i:i + 4][::-1] for i in range(0, len(words), 4)))
(work / "later.spv").write_bytes(words[:4] + b"\0\0\x63\0" + words[8:])
PYTHON
"$coopvk" rewrite "$work/mul.spv" -o "$work/one.spv" --subgroup-size 32
"$coopvk" rewrite "$work/swapped.spv" -o "$work/another.spv" --subgroup-size 32
cmp "$work/one.spv" "$work/another.spv"
refuse 'version 99.0 of SPIR-V is not known' "$coopvk" rewrite "$work/later.spv" --text --subgroup-size 32
refuse 'no value of type u8' "$coopvk" rewrite "$work/mul.spv" -o "$work/x.spv" \
    --subgroup-size 32 --spec 0=300:u8
refuse '--spec 7=1: the module has no constant with the id 7, but 0' "$coopvk" rewrite "$work/mul.spv" -o "$work/x.spv" \
    --subgroup-size 32 --spec 0=32 --spec 7=1
for text in '{}' '[]'; do
    echo "$text" >"$work/none.device"
    refuse 'none.device describes no device' "$coopvk" rewrite "$work/mul.spv" --text --device "$work/none.device"
done
refuse 'unknown member' "$coopvk" rewrite "$work/mul.spv" --text --device <(echo '{"lanes": 4}')
expect 'lane grid 2x16, row blocks 4, column blocks 1' "$coopvk" rewrite "$work/mul.spv" -v \
    -o "$work/tuned.spv" --subgroup-size 32 --spec 0=32 --validate \
    --tune grid-rows=2,row-block=4,column-block=1
refuse "'grid-rows=3'" "$coopvk" rewrite "$work/mul.spv" --text --subgroup-size 32 \
    --tune pairs=k,grid-rows=3
refuse 'more than the subgroup size' "$coopvk" rewrite "$work/mul.spv" --text --subgroup-size 32 \
    --tune grid-rows=64
refuse 'tesscontrol' "$coopvk" rewrite "$work/mul.spv" --text --subgroup-size 32 --stage foo
refuse '--subgroup-size' "$coopvk" rewrite "$work/mul.spv" --text
refuse 'takes more than 1000 steps' "$coopvk" rewrite "$work/mul.spv" --text --subgroup-size 32 --rewrite-limit 1K
refuse "no number of steps: 'few'" "$coopvk" rewrite "$work/mul.spv" --text --subgroup-size 32 --rewrite-limit few
"$coopvk" rewrite "$work/mul.spv" -o "$work/same.spv" --subgroup-size 32 --rewrite-limit 0

# Version
[[ $("$coopvk" --version) =~ ^coopvk\ ([0-9.]+)\ \((commit\ [0-9a-f]{12},\ )?rewriter\ ([0-9.]+)\+[0-9a-f]{12}\)$ &&
    ${BASH_REMATCH[1]} == "${BASH_REMATCH[3]}" ]] || fail "version: $("$coopvk" --version)"

# run
expect 'COOPVK_ENABLE=1' "$coopvk" run -- env
expect 'COOPVK_EMULATE=all' "$coopvk" run --emulate all --log-level info -- env
environment=$("$coopvk" run --dump-dir "$work/a'b" --print-environment)
expect "COOPVK_DUMP_DIR=$work/a'b" bash -c "$environment; env"
[[ -d "$work/a'b" ]] || fail 'no dump folder'
expect '-x --json' "$coopvk" run -- echo -x --json
refuse "unknown extension 'VK_KHR_nothing'" "$coopvk" run --emulate VK_KHR_nothing -- true
refuse "cannot make the folder $work/text4/x: Not a directory" "$coopvk" run --dump-dir "$work/text4/x" -- true
refuse 'off,error,warn' "$coopvk" run --log-level loud -- true
expect 'COOPVK_BACK_END=core' "$coopvk" run --back-end core -- env
expect 'COOPVK_VALIDATE_OUTPUT=true' "$coopvk" run --validate-output -- env
expect "COOPVK_LOG_FILE=$work/log" env -C "$work" "$coopvk" run --log-file log -- env
status=0
"$coopvk" run -- "$work/nothing" 2>/dev/null || status=$?
((status == 127)) || fail "status $status for a program that does not exist"
if [[ -n ${2:-} ]]; then
    # tool.run has a program that has them.
    echo "  not done: vulkaninfo has no sanitizers ($2), the layer has"
else
    expect 'VK_LAYER_COOPVK_emulation' "$coopvk" run -- vulkaninfo --summary
    # No instance extension is coopvk's: a loader creates no instance with one that is newer than itself. Without other
    # layers, which may have the same.
    listed() {
        "$@" env VK_LOADER_LAYERS_DISABLE='~implicit~' VK_LOADER_LAYERS_ALLOW=VK_LAYER_COOPVK_emulation \
            vulkaninfo --summary 2>/dev/null | grep 'COOPVK\|: extension revision'
    }
    expect 'VK_LAYER_COOPVK_emulation' listed "$coopvk" run --
    difference=$(diff <(listed env | grep -v COOPVK) <(listed "$coopvk" run -- | grep -v COOPVK)) ||
        fail "instance extensions: $difference"
    # At 4 lanes lavapipe lists the extension, with its feature off.
    feature='cooperativeMatrix +='
    with=$("$coopvk" run --emulate VK_KHR_cooperative_matrix -- env LP_NATIVE_VECTOR_WIDTH=128 vulkaninfo 2>&1 | grep -E "$feature")
    without=$(LP_NATIVE_VECTOR_WIDTH=128 vulkaninfo 2>&1 | grep -E "$feature")
    [[ $with == *true && $without == *false ]] || fail "with the layer: $with; without: $without"
fi

# Numbers that programs see in place of the device's own, which info shows, too.
expect 'ids: vendor 10005, device 0, driver VK_DRIVER_ID_MESA_LLVMPIPE' "$coopvk" info
expect 'programs see vendor 10de, device 2684, driver VK_DRIVER_ID_NVIDIA_PROPRIETARY' \
    env COOPVK_VENDOR_ID=0x10DE COOPVK_DEVICE_ID=2684 COOPVK_DRIVER_ID=4 "$coopvk" info
expect '"vendor": 4318' env COOPVK_VENDOR_ID=10de "$coopvk" info --json
# Lavapipe has no subgroups of 32: they are emulated.
expect "programs take it for NVIDIA's, with subgroups of 32 and the layout of elements 'nvidia', VK_NV_shader_sm_builtins, VK_NV_cuda_kernel_launch; its own have" \
    env COOPVK_AS=nvidia "$coopvk" info
expect 'emulated    for programs that ask for it' env COOPVK_AS=nvidia "$coopvk" info
expect "asks for it: programs that find it take the device for NVIDIA's" "$coopvk" info
expect '"as": "amd"' env COOPVK_AS=amd "$coopvk" info --json
refuse 'intel' "$coopvk" run --as intel -- true
refuse 'no hexadecimal number' "$coopvk" run --vendor-id nvidia -- true
refuse 'no VkDriverId' "$coopvk" run --driver-id nothing -- true
if [[ -z ${2:-} ]]; then
    seen=$("$coopvk" run --vendor-id 10de --device-id 2684 --driver-id nvidia_proprietary -- vulkaninfo 2>&1)
    for line in 'vendorID += 0x10de' 'deviceID += 0x2684' 'driverID += DRIVER_ID_NVIDIA_PROPRIETARY'; do
        grep -Eq "$line" <<<"$seen" || fail "no '$line'"
    done
    ! grep -E 'driverID +=' <<<"$seen" | grep -v NVIDIA || fail 'the driver is seen, too'
fi

# Where what they print cannot be written, the status says so.
if [[ -z ${2:-} ]]; then
    for command in info 'info --json' config doctor --version --help; do
        # shellcheck disable=SC2086  # options are words
        ! "$coopvk" $command >/dev/full 2>"$work/said" || fail "no error of $command"
        grep -q 'coopvk: cannot write the standard output' "$work/said" || fail "$command: $(<"$work/said")"
    done
fi

printf 'test_tool: all passed\n'
