// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "coopvk/rewrite.hpp"
#include "system/text.hpp"

namespace coopvk::tool {

// What a command cannot do, in words for its user.
inline rewrite::Error failure(std::string message) {
    return {rewrite::ErrorCode::kInvalidArgument, std::move(message)};
}

// A line for the user. Names in it may be from modules and files of others.
inline void complain(std::string_view text) {
    std::cerr << "coopvk: " << layer::printable(text, "\n\t") << '\n';
}

}  // namespace coopvk::tool
