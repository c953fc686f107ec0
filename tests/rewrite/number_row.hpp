// SPDX-License-Identifier: Apache-2.0
//
// Rows of the table of number formats, by name.
#pragma once

#include <algorithm>
#include <string_view>

#include "lowering/number.hpp"

namespace coopvk::test {

inline const rewrite::Number& row(std::string_view name) {
    return *std::ranges::find(rewrite::allNumbers(), name, &rewrite::Number::name);
}

}  // namespace coopvk::test
