// SPDX-License-Identifier: Apache-2.0
#include "info/shape_rows.hpp"

#include <vulkan/vk_enum_string_helper.h>

#include <iostream>
#include <map>

#include "system/text.hpp"

namespace coopvk::tool {

using nlohmann::ordered_json;

std::string ShapeRow::size() const {
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

std::string ShapeRow::types() const {
    return a + " * " + b + " + " + c + " -> " + result + (saturating ? ", saturating" : "") +
           (scope == "subgroup" ? "" : ", " + scope);
}

std::string shortName(std::string_view text, std::string_view prefix) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    for (const std::string_view suffix : {"_KHR", "_NV", "_EXT"}) {
        if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
    }
    return layer::lowerCase(text);
}

namespace {

// coopvk's names; Vulkan's names for types that coopvk does not know.
std::string typeName(VkComponentTypeKHR type) {
    const std::string_view known = rewrite::name(static_cast<rewrite::ComponentType>(type));
    if (known != "unknown") return std::string(known);
    return shortName(string_VkComponentTypeKHR(type), "VK_COMPONENT_TYPE_");
}

}  // namespace

std::vector<ShapeRow> nativeRows(const Device& device) {
    std::vector<ShapeRow> rows;
    for (const VkCooperativeMatrixPropertiesKHR& p : device.nativeShapes) {
        rows.push_back({p.MSize, p.NSize, p.KSize, typeName(p.AType), typeName(p.BType),
                        typeName(p.CType), typeName(p.ResultType),
                        shortName(string_VkScopeKHR(p.scope), "VK_SCOPE_"),
                        p.saturatingAccumulation == VK_TRUE});
    }
    return rows;
}

std::vector<ShapeRow> rowsOf(const std::vector<rewrite::MatrixShape>& shapes) {
    std::vector<ShapeRow> rows;
    const auto text = [](rewrite::ComponentType type) { return std::string(rewrite::name(type)); };
    for (const rewrite::MatrixShape& shape : shapes) {
        rows.push_back({shape.m, shape.n, shape.k, text(shape.a), text(shape.b), text(shape.c),
                        text(shape.result), "subgroup", shape.saturating});
    }
    return rows;
}

ordered_json shapeList(const std::vector<ShapeRow>& rows) {
    ordered_json list = ordered_json::array();
    for (const ShapeRow& row : rows) {
        list.push_back({{"m", row.m},
                        {"n", row.n},
                        {"k", row.k},
                        {"a", row.a},
                        {"b", row.b},
                        {"c", row.c},
                        {"result", row.result},
                        {"scope", row.scope},
                        {"saturating", row.saturating}});
    }
    return list;
}

// Shapes of the same types on one line, in the order that applications see.
void printShapes(const char* title, const std::vector<ShapeRow>& rows) {
    if (rows.empty()) return;
    std::vector<std::string> order;
    std::map<std::string, std::string> sizes;
    for (const ShapeRow& row : rows) {
        auto [entry, isNew] = sizes.try_emplace(row.types());
        if (isNew) order.push_back(row.types());
        entry->second += " " + row.size();
    }
    std::cout << "  matrix shapes (MxNxK), " << title << ":\n";
    for (const std::string& types : order) {
        std::cout << "    " << types << ":" << sizes[types] << '\n';
    }
}

}  // namespace coopvk::tool
