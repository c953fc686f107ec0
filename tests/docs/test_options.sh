#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_options.sh SOURCE COOPVK
# Compares manual page and documents with --help and the layer's manifest.
set -euo pipefail

source=$1 coopvk=$2
page=$source/docs/man/coopvk.1
compare=${coopvk%/*}/coopvk-compare
manifest=$source/manifest/VkLayer_coopvk.json.in

fail() {
    printf 'test_options: %s\n' "$*" >&2
    exit 1
}

same() {
    [[ $2 == "$3" ]] || fail "$1 differ:"$'\n'"$(diff <(echo "$2") <(echo "$3") || true)"
}

options() { grep -oE -- '(^|[ ,|[(])--?[a-zA-Z][a-z-]*' | grep -oE -- '-.*' | sort -u; }

# What --help lists, at the beginning of its lines.
help_options() {
    "$coopvk" "$@" --help | grep -E '^ +(-[a-z], +)?--[a-z]|^ +-[a-z], ' | sed 's/^ *//' |
        sed -E 's/^((-[a-z]), *)?(--[a-z-]+).*/\2 \3/' | options
}

# page_options HEADING [PAGE]: those of one part of a manual page.
page_options() {
    sed 's/\\-/-/g' "${2:-$page}" | awk -v heading="$1" '
        /^\.S[SH] / { inside = ($0 == heading) }
        inside && /^\.TP/ { first = 1; next }
        inside && first { print; first = 0 }' | tr -d '"' | sed -E 's/^\.B[RI]* //; s/\\f[A-Z]//g' | options
}

declare -A known_options=()  # by command or script

commands=$("$coopvk" --help | sed -n '/^SUBCOMMANDS/,$p' | grep -oE '^  [a-z]+' | tr -d ' ')
same 'commands of the manual page' "$(sort <<<"$commands")" \
    "$(sed -n 's/^\.SS coopvk //p' "$page" | sort)"
same 'options of coopvk' "$(help_options)" "$(page_options '.SH OPTIONS')"
for command in $commands; do
    [[ $command != @(check|compare|probe|prove|selftest|tune) ]] || continue
    same "options of coopvk $command" "$(help_options "$command")" \
        "$(page_options ".SS coopvk $command")"
done

compare_page=$source/docs/man/coopvk-compare.1
same 'options of coopvk-compare' "$(coopvk=$compare help_options)" "$(page_options '.SH OPTIONS' "$compare_page")"
for command in check probe prove selftest tune; do
    same "options of coopvk-compare $command" "$(coopvk=$compare help_options $command)" \
        "$(page_options ".SS coopvk-compare $command" "$compare_page")"
done

# Settings: manifest, manual page, docs/use.md.
settings=$(grep -oE '"key": "[a-z_]+",$' "$manifest" | cut -d'"' -f4)
variables=$(for key in $settings; do echo "COOPVK_${key^^}"; done | sort)
same 'variables of the manifest' "$variables" "$(grep -oE '"env": "[A-Z_]+"' "$manifest" | cut -d'"' -f4 | sort)"
same 'variables of the manual page' "$(printf '%s\n' COOPVK_ENABLE COOPVK_DISABLE $variables | sort)" \
    "$(sed -n '/^\.SH ENVIRONMENT/,/^\.SH FILES/p' "$page" | grep -oE '^\.BR? COOPVK_[A-Z_]+' | cut -d' ' -f2 | sort)"
same 'settings of use.md' "$(for key in $settings; do echo "| \`$key\` | \`COOPVK_${key^^}\` |"; done | sort)" \
    "$(grep -oE '^\| `[a-z_]+` \| `COOPVK_[A-Z_]+` \|' "$source/docs/use.md" | sort)"
# Defaults in the manual page are those of the manifest.
while read -r variable default; do
    key=${variable#COOPVK_}
    manifest_default=$(sed -n "/\"key\": \"${key,,}\",$/,/\"default\"/p" "$manifest" |
        sed -nE 's/ *"default": "?([^",]*)"?,/\1/p')
    [[ $default == "$manifest_default" ]] || fail "$variable: $default, not $manifest_default"
done < <(sed -nE 's/^\.BR (COOPVK_[A-Z_]+) " \(([a-z]+)\)"$/\1 \2/p' "$page")

# Commands in running text and in indented lines: the options exist.
for file in "$source"/README.md "$source"/docs/{,developers/}*.md; do
    while IFS= read -r mention; do
        read -r program sub _ <<<"$mention"
        case $program in
            coopvk)
                grep -qx -- "$sub" <<<"$commands" || [[ $sub == -* || -z $sub ]] ||
                    fail "${file#"$source/"}: no command in '$mention'"
                [[ $sub != -* ]] || sub=
                # What follows -- is another program's.
                [[ -v known_options[coopvk_$sub] ]] || known_options[coopvk_$sub]=$(help_options $sub)
                known=${known_options[coopvk_$sub]}
                mention=${mention%% -- *}
                ;;
            *)
                script=$source/${program#./}
                [[ -x $script ]] || fail "${file#"$source/"}: no script '$program'"
                [[ -v known_options[$script] ]] || known_options[$script]=$("$script" --help | options)
                known=${known_options[$script]}
                mention=${mention%% -- *}
                [[ ${program##*/} != env ]] || continue
                ;;
        esac
        for option in $(options <<<"${mention#"$program"}"); do
            [[ $option != --?* ]] || grep -qx -- "$option" <<<"$known" ||
                fail "${file#"$source/"}: no option $option in '$mention'"
        done
    done < <({ grep -oE '`(coopvk|(\./)?scripts/[a-z-]+) [^`]*`' "$file" | tr -d '`'
        grep -oE '^    (coopvk|(\./)?scripts/[a-z-]+) .*' "$file" | sed 's/^ *//'; } || true)
done

# Lists of extensions that are advised for `emulate`: the layer knows them, and driver tests run with each.
lists=$(cat "$source"/README.md $(printf '%s\n' "$source"/docs/{*.md,developers/*.md,man/*.1} | grep -v CHANGELOG) "$source/manifest/coopvk.conf.example" |
    grep -oE '(emulate ?= ?|--emulate |COOPVK_EMULATE=)(auto|all|VK_)[A-Za-z0-9_,]*' | sed -E 's/.*[= ]//' | sort -u)
[[ $lists == *auto,VK_EXT_shader_float8* ]] || fail "no list is advised for FSR 4: $lists"
for list in $lists; do
    "$coopvk" info --emulate "$list" >/dev/null || fail "the layer does not take the advised list '$list'"
    grep -qE "(COOPVK_EMULATE=|coopvk_advised_test\([a-z0-9_]+ )$list( |\)|$)" "$source"/tests/driver/{CMakeLists.txt,advised.cmake} ||
        fail "no driver test runs with the advised list '$list'"
done

# man can show the pages; checked if there is a tool for it.
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$page" "$compare_page" || fail 'mandoc'
elif command -v groff >/dev/null; then
    complaints=$(groff -man -Tutf8 -ww -z "$page" "$compare_page" 2>&1)
    [[ -z $complaints ]] || fail "$complaints"
else
    echo '  not done: the manual pages are not checked as such: neither mandoc nor groff is here'
fi
echo 'test_options: passed'
