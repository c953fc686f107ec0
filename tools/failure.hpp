// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "coopvk/rewrite.hpp"

namespace coopvk::tool {

// What a command cannot do, in words for its user.
inline rewrite::Error failure(std::string message) {
    return {rewrite::ErrorCode::kInvalidArgument, std::move(message)};
}

}  // namespace coopvk::tool
