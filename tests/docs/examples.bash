# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shows NAME <OUTPUT: the example NAME of the documents is what OUTPUT says, but for numbers (examples.py). The script that
# reads this has a function `fail`.
shows() {
    local tests
    tests=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
    local said
    said=$(python3 -B "$tests/docs/examples.py" "$tests/.." "$1" 2>&1) || fail "$said"
}
