// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

namespace coopvk::rewrite {

// Whether a value is in a list.
template <typename T>
constexpr bool isOneOf(T value, std::initializer_list<T> list) {
    for (const T one : list) {
        if (value == one) return true;
    }
    return false;
}

}  // namespace coopvk::rewrite
