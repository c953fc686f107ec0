// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coopvk::tool {

// JSON with a line for each value. What is not UTF-8 is replaced: names of programs, devices and
// files may be anything, and the library throws.
template <typename Json>
std::string jsonText(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace coopvk::tool
