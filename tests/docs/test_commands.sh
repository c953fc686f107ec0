#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_commands.sh SOURCE BUILD [FILE...]
# Runs the commands of README.md, docs/*.md and docs/developers/*.md: each block that begins with ```sh. The line
# before a block says how to run it:
#
#   <!-- test: run -->               in a folder of the document's own, with a home folder of its own
#   <!-- test: run in checkout -->   in the source folder
#   <!-- test: run as launch options -->   as Steam does; for a block without a language
#   <!-- test: run by SCRIPT NAME -->      by another test of this folder
#   <!-- test: not run: REASON -->
#   <!-- test: first COMMAND -->     a line more: to be run in the source folder before; once, and where other documents
#                                    have it, too, what it left in the home folder is copied
#
# `run` may be followed by `; prints TEXT`, or by `; logs TEXT`, which switches the layer's log on. A block
# without such a line is an error, and so is one that fails. In a document's blocks, APP is a program that
# uses Vulkan; files that earlier blocks installed or wrote exist.
set -euo pipefail

source=$(cd "$1" && pwd) build=$2
shift 2
(($# > 0)) || set -- "$source"/README.md "$source"/docs/{,developers/}*.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'test_commands: %s\n' "$*" >&2
    exit 1
}

# Of the user's home folder, blocks get only the caches.
export COOPVK_CACHE=${COOPVK_CACHE:-$HOME/.cache/coopvk}
export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp} TMPDIR=$work/tmp
unset COOPVK_ENABLE COOPVK_DISABLE COOPVK_EMULATE COOPVK_STATISTICS COOPVK_LOG_LEVEL XDG_DATA_HOME XDG_CONFIG_HOME \
    VK_LAYER_PATH VK_ADD_LAYER_PATH VK_IMPLICIT_LAYER_PATH VK_ADD_IMPLICIT_LAYER_PATH
[[ -z ${VULKAN_SDK:-} ]] || export CPATH=$VULKAN_SDK/include LIBRARY_PATH=$VULKAN_SDK/lib
mkdir -p "$work/bin" "$TMPDIR"
printf '#!/bin/sh\nexec vulkaninfo --summary\n' >"$work/bin/APP"
chmod +x "$work/bin/APP"

ran=0 left=0 elsewhere=0

# run_block FOLDER PLACE TEXT [PRINTS [LEVEL]]
run_block() {
    local folder=$1 place=$2 text=$3 prints=${4:-} status=0
    [[ -z ${5:-} ]] || local -x COOPVK_LOG_LEVEL=$5
    (cd "$folder" && HOME=$home PATH="$home/.local/bin:$work/bin:$build/tools:$PATH" \
        bash -euo pipefail -c "$text" </dev/null >"$work/log" 2>&1) || status=$?
    ((status == 0)) || fail "$place: status $status"$'\n'"$text"$'\n'"$(tail -n 30 "$work/log")"
    [[ -z $prints ]] || grep -qF -- "$prints" "$work/log" ||
        fail "$place: does not print '$prints'"$'\n'"$(tail -n 30 "$work/log")"
    ran=$((ran + 1))
}

# take_block MARKER PLACE TEXT
take_block() {
    local marker=$1 place=$2 text=$3 prints='' level='' script what
    [[ $marker =~ ^'<!-- test: '(.*)' -->'$ ]] || fail "$place: the line before says nothing of a test"
    marker=${BASH_REMATCH[1]}
    if [[ $marker == run*'; logs '* ]]; then
        level=info marker=${marker/; logs /; prints }
    fi
    if [[ $marker == run*'; prints '* ]]; then
        prints=${marker#*; prints }
        marker=${marker%%; prints *}
    fi
    case $marker in
        run) run_block "$folder" "$place" "$text" "$prints" "$level" ;;
        'run in checkout') run_block "$source" "$place" "$text" "$prints" "$level" ;;
        'run as launch options')
            [[ $text == *%command%* ]] || fail "$place: no %command%"
            text=${text//%command%/$work/bin/APP}
            run_block "$folder" "$place" "sh -c ${text@Q}" "$prints" "$level"
            ;;
        'run by '*)
            read -r _ _ script what <<<"$marker"
            [[ -x $source/tests/docs/$script ]] || fail "$place: no script $script"
            printf '  run by %s, where there is %s: %s\n' "$script" "$what" "$place"
            elsewhere=$((elsewhere + 1))
            ;;
        'not run: '??????????*)
            printf '  not run: %s: %s\n' "$place" "${marker#not run: }"
            left=$((left + 1))
            ;;
        *) fail "$place: neither 'run' nor why not: $marker" ;;
    esac
}

# run_first PLACE COMMAND
declare -A firsts=()  # by command: a copy of the home folder that it left
run_first() {
    local kept=${firsts[$2]:-}
    if [[ -n $kept && -z $(ls -A "$home") ]]; then
        cp -R "$kept/." "$home"
        return
    fi
    run_block "$source" "$1" "$2"
    ran=$((ran - 1))  # which is not of the document's commands
    [[ -z $kept ]] || return 0
    firsts[$2]=$work/first-${#firsts[@]}
    cp -R "$home" "${firsts[$2]}"
}

take_file() {
    local file=$1 name=${1#"$source/"} number=0 line marker='' text='' state=text start=0 opened
    home=$work/$name/home folder=$work/$name/folder
    mkdir -p "$home" "$folder"
    while IFS= read -r line || [[ -n $line ]]; do
        number=$((number + 1))
        if [[ $state == text && $line == '```'* ]]; then
            state=other
            [[ $line != '```sh' ]] || state='sh'
            opened=$marker start=$number text=''
            case ${line#'```'} in
                sh | '' | text | json | ini | yaml | glsl | c | cpp) ;;
                *) fail "$name:$number: a block of '${line#'```'}'; commands are in blocks of 'sh'" ;;
            esac
        elif [[ $state != text && $line == '```' ]]; then
            [[ $state != sh && $opened != '<!-- test: '* ]] ||
                take_block "$opened" "$name:$start" "$text"
            state=text
        elif [[ $state != text ]]; then
            text+=$line$'\n'
        fi
        if [[ $line =~ ^'<!-- test: first '(.*)' -->'$ ]]; then
            run_first "$name:$number" "${BASH_REMATCH[1]}"
        fi
        marker=$line
    done <"$file"
    [[ $state == text ]] || fail "$name: a block without an end"
}

for file in "$@"; do take_file "$file"; done
((ran > 0)) || fail 'nothing ran'
echo "test_commands: $ran blocks ran, $elsewhere are run by other tests, $left are not run"
