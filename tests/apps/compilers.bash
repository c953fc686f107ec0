# SPDX-License-Identifier: Apache-2.0
# Tests the output of compilers: compiles every shader of glslang's own test suite that uses cooperative
# matrices or vectors, rewrites it for several subgroup sizes, and validates the result. Sourced by
# scripts/test-apps.
#
# The suite is outside of the project: in COOPVK_GLSLANG_SOURCE, in glslang/ of coopvk's cache folder,
# or in the source package of the distribution.
# shellcheck shell=bash disable=SC2154  # variables of that script

find_glslang_tests() {
    local folder
    for folder in ${COOPVK_GLSLANG_SOURCE:+"$COOPVK_GLSLANG_SOURCE"} "$COOPVK_CACHE/glslang"; do
        if [[ -f $folder/Test/spv.coopmatKHR.comp ]]; then
            printf '%s\n' "$folder/Test" && return
        fi
    done
    return 1
}

# Runs where coopvk is built. Prints a line for each shader: PASS, FAIL or KNOWN, and why.
rewrite_corpus() {
    local tests=$1 tool=$2 refusals=$3 work=$4 sizes=$5 file name size message why
    for file in "$tests"/spv.*.{comp,frag,vert,mesh,task,rgen} "$work"/own.*.comp; do
        name=${file##*/}
        # The compiler must refuse shaders with "error" in their names.
        [[ -f $file && $name != *[eE]rror* ]] || continue
        grep -qiE 'cooperative|coopmat|coopvec' "$file" || continue
        if ! message=$(glslang --amb --aml --target-env vulkan1.3 -V "$file" \
            -o "$work/in.spv" 2>&1); then
            message="glslang: $(grep -m1 ERROR <<<"$message" || printf '%s' "$message")"
        else
            message=
            for size in $sizes; do
                rm -f "$work/out.spv"
                message=$("$tool" rewrite "$work/in.spv" -o "$work/out.spv" \
                    --subgroup-size "$size" 2>&1 >/dev/null) || break
                message=$(spirv-val --target-env vulkan1.4 "$work/out.spv" 2>&1) || break
                # The rewriter ignores capabilities that are not in coopvk's table; this test checks them.
                message=$(spirv-dis --no-color "$work/out.spv" |
                    sed -nE 's/^ *OpCapability (.*Cooperative(Matrix|Vector).*)$/left: \1/p' |
                    head -n 1)
                [[ -z $message ]] || break
            done
        fi
        why=$(awk -F ' *[|] *' -v name="$name" -v message="$message" \
            '$1 == name && index(message, $2) { print $2; exit }' "$refusals")
        if [[ -z $message ]]; then
            printf 'PASS %s\n' "$name"
        elif [[ -n $why ]]; then
            printf 'KNOWN %s: %s\n' "$name" "$why"
        else
            printf 'FAIL %s: %s\n' "$name" "${message//$'\n'/ }"
        fi
    done
}

test_compilers() {
    local tests sizes='4 8 16 32 64 128' work result
    if ! tests=$(find_glslang_tests) && {
        ! fetch_source glslang "$COOPVK_CACHE/glslang" >"$logs/glslang-source" 2>&1 ||
            ! tests=$(find_glslang_tests)
    }; then
        skip "compilers: no copy of glslang's sources; name one with COOPVK_GLSLANG_SOURCE" \
            "($(tail -n 1 "$logs/glslang-source" 2>/dev/null))"
        return
    fi
    begin "glslang's test suite, rewritten for $sizes lanes"
    work=$logs/corpus
    mkdir -p "$work"
    cp "$COOPVK_SOURCE"/tests/apps/own.*.comp "$work/"
    result=$logs/compilers
    in_env bash -c "$(declare -f rewrite_corpus)"'; rewrite_corpus "$@"' rewrite_corpus "$tests" \
        "$tool" "$COOPVK_SOURCE/tests/apps/compilers-refused.txt" "$work" "$sizes" >"$result" \
        </dev/null || true
    printf '\n'
    sed -n '/^PASS/!s/^/    /p' "$result"
    if [[ ! -s $result ]]; then end 0 1 "nothing was rewritten" && return; fi
    skipped=$((skipped + $(grep -c '^KNOWN' "$result" || true)))
    end "$(grep -c '^PASS' "$result" || true)" "$(grep -c '^FAIL' "$result" || true)" \
        "$(grep -c '^KNOWN' "$result" || true)" "refused as listed"
}
