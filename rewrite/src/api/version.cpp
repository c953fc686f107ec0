// SPDX-License-Identifier: Apache-2.0
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

std::string_view version() {
    return
#include "source_version.inc"
        ;
}

}  // namespace coopvk::rewrite
