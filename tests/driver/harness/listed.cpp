// SPDX-License-Identifier: Apache-2.0
#include "listed.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <format>
#include <ranges>
#include <string_view>

#include "context.hpp"

namespace coopvk::test {
namespace {

// A row of either list.
struct ListedRow {
    uint32_t m, n, k;
    std::array<uint32_t, 4> types;  // of A, B, C and the result
    uint32_t largest;               // 0: these sizes, else multiples of them
};

bool fits(uint32_t size, uint32_t listed, uint32_t largest) {
    return largest == 0 ? size == listed : size % listed == 0 && size <= largest;
}

bool fits(const NeededMatrix& matrix, const ListedRow& row) {
    const uint32_t type = info(matrix.component).vulkan;
    const auto sized = [&](uint32_t rows, uint32_t columns) {
        return fits(matrix.rows, rows, row.largest) && fits(matrix.columns, columns, row.largest);
    };
    switch (matrix.use) {
        case Use::kA:
            return type == row.types[0] && sized(row.m, row.k);
        case Use::kB:
            return type == row.types[1] && sized(row.k, row.n);
        default:
            return (type == row.types[2] || type == row.types[3]) && sized(row.m, row.n);
    }
}

bool fits(const NeededProduct& p, const ListedRow& row) {
    const std::array types = {info(p.a).vulkan, info(p.b).vulkan, info(p.c).vulkan,
                              info(p.result).vulkan};
    return types == row.types && fits(p.m, row.m, row.largest) && fits(p.n, row.n, row.largest) &&
           fits(p.k, row.k, row.largest);
}

std::array<uint32_t, 4> typesOf(const auto& row) {
    return {static_cast<uint32_t>(row.AType), static_cast<uint32_t>(row.BType),
            static_cast<uint32_t>(row.CType), static_cast<uint32_t>(row.ResultType)};
}

// The rows of a group.
std::vector<ListedRow> rowsOf(const MatrixGroup& group, const ListedMatrices& listed) {
    std::vector<ListedRow> rows;
    for (const auto& p : listed.sizes)
        if (!group.isWorkgroup && p.scope == VK_SCOPE_SUBGROUP_KHR)
            rows.push_back({p.MSize, p.NSize, p.KSize, typesOf(p), 0});
    for (const auto& p : listed.flexible) {
        const bool isOfGroup = group.isWorkgroup ? p.scope == VK_SCOPE_WORKGROUP_KHR &&
                                                       p.workgroupInvocations == group.invocations()
                                                 : p.scope == VK_SCOPE_SUBGROUP_KHR;
        if (isOfGroup)
            rows.push_back(
                {p.MGranularity, p.NGranularity, p.KGranularity, typesOf(p), listed.maxDimension});
    }
    return rows;
}

template <typename Needed>
bool isInRows(const Needed& needed, const ListedMatrices& listed) {
    return std::ranges::any_of(rowsOf(needed.group, listed),
                               [&](const ListedRow& row) { return fits(needed, row); });
}

ListedMatrices listedByDevice() {
    const Context& context = Context::get();
    ListedMatrices listed = {context.shapes, {}, 0};
    if (!context.features.matrix2.cooperativeMatrixFlexibleDimensions) return listed;
    listed.flexible = vulkan::listAll<VkCooperativeMatrixFlexibleDimensionsPropertiesNV>(
        "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV",
        {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV},
        [&](uint32_t* count, auto* out) {
            return vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV(
                context.physical, count, out);
        });
    VkPhysicalDeviceCooperativeMatrix2PropertiesNV properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV};
    VkPhysicalDeviceProperties2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
    vkGetPhysicalDeviceProperties2(context.physical, &core);
    listed.maxDimension = properties.cooperativeMatrixFlexibleDimensionsMaxDimension;
    return listed;
}

const ListedMatrices& listed() {
    static const ListedMatrices all = listedByDevice();
    return all;
}

bool mayBeTheDrivers(Component component) {
    return keepsToListed() || (!info(component).hasArithmetic() && !isEmulated(component));
}

std::string ofGroup(const MatrixGroup& group) {
    return group.isWorkgroup ? std::format("of a workgroup of {}", group.invocations())
                             : "of a subgroup";
}

}  // namespace

bool keepsToListed() {
    const char* value = std::getenv("COOPVK_TEST_LISTED");
    if (value != nullptr) return *value == '1';
    const Context& context = Context::get();
    return !context.emulated && context.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
}

bool listsWorkgroupsOf(uint32_t invocations) {
    return std::ranges::any_of(listed().flexible, [&](const auto& row) {
        return row.scope == VK_SCOPE_WORKGROUP_KHR && row.workgroupInvocations == invocations;
    });
}

bool isListed(const NeededMatrix& matrix, const ListedMatrices& all) {
    return isInRows(matrix, all);
}

bool isListed(const NeededProduct& product, const ListedMatrices& all) {
    return isInRows(product, all);
}

std::string describe(const NeededMatrix& matrix) {
    return std::format("a {}x{} {} of {} {}", matrix.rows, matrix.columns,
                       "ABC"[static_cast<size_t>(matrix.use)], name(matrix.component),
                       ofGroup(matrix.group));
}

bool isEmulated(Component format) {
    const char* value = std::getenv("COOPVK_EMULATE");
    if (!Context::get().emulated || !value) return false;
    const std::string_view extension = format == Component::kBF16
                                           ? VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME
                                           : VK_EXT_SHADER_FLOAT8_EXTENSION_NAME;
    return std::ranges::any_of(std::views::split(std::string_view(value), ','), [&](auto part) {
        const std::string_view word(part.begin(), part.end());
        return word == "all" || word == extension;
    });
}

std::string missing(const NeededMatrices& matrices) {
    if (std::ranges::none_of(matrices, mayBeTheDrivers, &NeededMatrix::component)) return {};
    for (const NeededMatrix& matrix : matrices)
        if (!isListed(matrix, listed())) return "the device does not list " + describe(matrix);
    return {};
}

std::string missing(const NeededProduct& p) {
    if (std::ranges::none_of(std::array{p.a, p.b, p.c, p.result}, mayBeTheDrivers) ||
        isListed(p, listed()))
        return {};
    return std::format("the device does not list a {}x{}x{} product {} * {} + {} = {} {}", p.m, p.n,
                       p.k, name(p.a), name(p.b), name(p.c), name(p.result), ofGroup(p.group));
}

}  // namespace coopvk::test
