# SPDX-License-Identifier: Apache-2.0
# What the scripts share. Sourced, never run.
# shellcheck shell=bash

set -euo pipefail

COOPVK_SOURCE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# What other programs say is read, so they say it in English.
export LC_ALL=C.UTF-8
unset LANGUAGE
# Ctrl-C ends a script, too, where the program that it waits for ends in a way of its own.
trap 'exit 130' INT
# Services and containers may have none: then that of the system's list of users.
HOME=${HOME:-$(unset HOME && printf '%s' ~)}
# Of a folder for temporary files that is not there, nobody would know why everything else fails.
if [[ -n ${TMPDIR:-} && ! ($TMPDIR == /* && -d $TMPDIR && -w $TMPDIR) ]]; then
    printf '%s: TMPDIR is %s, where nothing can be written: /tmp in its place\n' "${0##*/}" "$TMPDIR" >&2
    unset TMPDIR
fi
[[ ${XDG_CACHE_HOME:-} == /* ]] || unset XDG_CACHE_HOME  # a relative path counts as none, by its specification
COOPVK_CACHE=$(realpath --canonicalize-missing --no-symlinks -- "${COOPVK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/coopvk}")
export CCACHE_DIR=${CCACHE_DIR:-$COOPVK_CACHE/ccache} CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-1G}
# The compiler names the headers that it read (-MD): no run of the preprocessor for a file that is not in the cache.
export CCACHE_DEPEND=${CCACHE_DEPEND-1}
# What ccache needs to know of precompiled headers.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
# The Debian release that has all that is needed, and the root that scripts/setup makes of it.
COOPVK_RELEASE=forky
COOPVK_ROOT=$COOPVK_CACHE/$COOPVK_RELEASE
# The one that has Wine, and where sources of libraries for Windows lie: spirv-tools and
# vulkan-utility-libraries.
# shellcheck disable=SC2034  # read by the scripts that source this file
COOPVK_STABLE=trixie COOPVK_WINDOWS_SOURCES=$COOPVK_CACHE/windows-sources
# Where scripts/setup writes whether commands run on the host or in the root.
# shellcheck disable=SC2034  # read by the scripts that source this file
COOPVK_CHOICE=$COOPVK_CACHE/environment

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() {
    warn "${0##*/}: $*"
    exit 1
}

# usage: prints the comment block at the head of the script, for --help.
usage() {
    awk 'NR > 1 { if (!/^#/) exit; if (/SPDX|^# shellcheck/) next; sub(/^# ?/, ""); print }' "$0"
}

have() { command -v "$1" >/dev/null 2>&1; }

# in_env COMMAND...: runs a command in the environment that scripts/setup chose.
in_env() { "$COOPVK_SOURCE/scripts/env" "$@"; }

# sysroot_of ARCH: the folder of what scripts/sysroot unpacked for another architecture.
sysroot_of() { say "$COOPVK_CACHE/$COOPVK_RELEASE-$1"; }

# fetch_source PACKAGE FOLDER: unpacks the distribution's source package into FOLDER; APT's own files
# stay as they are.
fetch_source() {
    local package=$1 folder=$2 partial=$2.partial
    mkdir -p "$partial"
    in_env bash -s -- "$partial" "$package" <<'SCRIPT' || return 1
        set -e
        cd "$1"
        mkdir -p lists/partial
        cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
            sed -n 's/^deb /deb-src /p' >sources.list
        [ -s sources.list ]
        options="-q -o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=/dev/null
            -o Dir::State::lists=$PWD/lists -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache="
        apt-get $options update
        apt-get $options source --only-source "$2"
        rm -rf source && mv "$2"-*/ source
SCRIPT
    partial=$("$COOPVK_SOURCE/scripts/env" --outside "$partial")
    rm -rf "$folder" && mv "$partial/source" "$folder"
}

# jobs_count: how many compilers to run at once; one needs up to 1.5 GB.
jobs_count() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo 2>/dev/null || true)
    if [[ -n $memory ]] && ((memory < cores)); then cores=$memory; fi
    ((cores > 0)) || cores=1
    printf '%s\n' "$cores"
}

# The folders of a system that the root has its own version of.
readonly COOPVK_OWN_FOLDERS=' bin boot etc lib lib32 lib64 libx32 lost+found run sbin usr var '

own_folder() { [[ $COOPVK_OWN_FOLDERS == *" ${1%%/*} "* ]]; }

# isolation: the options by which unshare(1) gives a command mounts of its own: as root, or as root of a user namespace
# that has only this user. Fails where the system permits neither.
isolation() {
    local options
    for options in '--mount' '--user --map-root-user --mount'; do
        # shellcheck disable=SC2086  # several options
        if unshare $options mount --rbind /dev /dev 2>/dev/null; then say "$options" && return; fi
    done
    return 1
}

can_mount() { isolation >/dev/null; }

is_root() { [[ $(id -u) == 0 ]]; }

# Whether commands can run in the root at all.
can_enter() { is_root || can_mount; }

# Whether the root has programs: it may have been deleted, all of it or a part.
has_root() { [[ -e $COOPVK_ROOT/usr/bin/env || -L $COOPVK_ROOT/usr/bin/env ]]; }

# run_in_root [--alone] CWD COMMAND...: a command in the root, in place of this process. It sees the host's
# files wherever the root has none of its own, through mounts that end with the command. --alone: it sees
# none but devices and what the kernel says, and may give files to other users.
run_in_root() {
    local options alone=()
    [[ $1 != --alone ]] || { alone=(--alone) && shift; }
    export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    export LANG=C.UTF-8 LC_ALL=C.UTF-8 COOPVK_INSIDE=1
    if options=$(isolation); then
        if [[ -n ${alone[*]} && $options == *--user* ]]; then
            set -- "$1" perl -e "$(<"$COOPVK_SOURCE/scripts/single_user.pl")" "${@:2}"
        fi
        # shellcheck disable=SC2086  # several options
        exec unshare $options --propagation private \
            "$COOPVK_SOURCE/scripts/env" --enter "${alone[@]}" "$COOPVK_ROOT" "$@"
    fi
    exec chroot "$COOPVK_ROOT" /usr/bin/env --chdir "$@"
}
