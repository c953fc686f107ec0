// SPDX-License-Identifier: Apache-2.0
//
// Cooperative matrix shapes as `coopvk info` shows them, native, added or emulated.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "devices.hpp"

namespace coopvk::tool {

struct ShapeRow {
    uint32_t m, n, k;
    std::string a, b, c, result;
    std::string scope = "subgroup";
    bool saturating = false;

    std::string size() const;
    std::string types() const;
};

// "VK_PREFIX_SOME_THING_KHR" to "some_thing"
std::string shortName(std::string_view text, std::string_view prefix);

std::vector<ShapeRow> nativeRows(const Device& device);
std::vector<ShapeRow> rowsOf(const std::vector<rewrite::MatrixShape>& shapes);

nlohmann::ordered_json shapeList(const std::vector<ShapeRow>& rows);
void printShapes(const char* title, const std::vector<ShapeRow>& rows);

}  // namespace coopvk::tool
