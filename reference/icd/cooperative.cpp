// SPDX-License-Identifier: Apache-2.0
//
// Queries of the matrices and vectors that the device lists.
#include <optional>

#include "commands.hpp"
#include "coopvk_reference/listed.hpp"
#include "device.hpp"

namespace coopvk::reference::icd {
namespace {

using namespace listed;

bool has(const PhysicalDevice& device, VkComponentTypeKHR type) {
    if (type == kBF16) return device.extensions.contains("VK_KHR_shader_bfloat16");
    if (type == kE4M3 || type == kE5M2) return device.extensions.contains("VK_EXT_shader_float8");
    return true;
}

// Those with types that the device has; `saturating`: only those that saturate, or do not.
std::vector<Product> productsOf(const PhysicalDevice& device,
                                std::optional<bool> saturating = std::nullopt) {
    std::vector<Product> products(std::begin(kProducts), std::end(kProducts));
    std::erase_if(products, [&](const Product& product) {
        return !has(device, product.a) || !has(device, product.b) || !has(device, product.c) ||
               product.saturating != saturating.value_or(product.saturating);
    });
    return products;
}

// A row of a list: a product with a shape (of the lists that end), or with a granularity and a
// number of invocations of a workgroup, 0 for the scope Subgroup.
struct Row {
    Product product;
    Shape shape;
    uint32_t invocations;
};

Shape granularityOf(const PhysicalDevice& device) {
    const uint32_t any = device.settings.granularity;
    return {any, any, any};
}

// Writes what the list's structure has.
template <typename T>
void fill(T& to, const Row& row) {
    to.AType = row.product.a;
    to.BType = row.product.b;
    to.CType = row.product.c;
    if constexpr (requires { to.DType; }) to.DType = row.product.c;
    if constexpr (requires { to.ResultType; }) to.ResultType = row.product.c;
    if constexpr (requires { to.saturatingAccumulation; })
        to.saturatingAccumulation = row.product.saturating;
    if constexpr (requires { to.MSize; }) {
        to.MSize = row.shape.m;
        to.NSize = row.shape.n;
        to.KSize = row.shape.k;
    } else {
        to.MGranularity = row.shape.m;
        to.NGranularity = row.shape.n;
        to.KGranularity = row.shape.k;
    }
    if constexpr (requires { to.workgroupInvocations; }) to.workgroupInvocations = row.invocations;
    if constexpr (requires { to.scope; })
        to.scope = row.invocations == 0 ? VK_SCOPE_SUBGROUP_KHR : VK_SCOPE_WORKGROUP_KHR;
}

template <typename T>
VkResult writeRows(const std::vector<Row>& rows, uint32_t* count, T* out) {
    return writeList(static_cast<uint32_t>(rows.size()), count, out,
                     [&](T& to, uint32_t i) { fill(to, rows[i]); });
}

}  // namespace

VkResult GetPhysicalDeviceCooperativeMatrixPropertiesKHR(VkPhysicalDevice handle, uint32_t* count,
                                                         VkCooperativeMatrixPropertiesKHR* out) {
    std::vector<Row> rows;
    for (const Product& product : productsOf(*from<PhysicalDevice>(handle)))
        for (const Shape& shape : kShapes) rows.push_back({product, shape, 0});
    return writeRows(rows, count, out);
}

VkResult GetPhysicalDeviceCooperativeMatrixPropertiesNV(VkPhysicalDevice handle, uint32_t* count,
                                                        VkCooperativeMatrixPropertiesNV* out) {
    std::vector<Row> rows;
    for (const Product& product : productsOf(*from<PhysicalDevice>(handle), false))
        for (const Shape& shape : kShapes) rows.push_back({product, shape, 0});
    return writeRows(rows, count, out);
}

VkResult GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV(
    VkPhysicalDevice handle, uint32_t* count,
    VkCooperativeMatrixFlexibleDimensionsPropertiesNV* out) {
    const PhysicalDevice& device = *from<PhysicalDevice>(handle);
    std::vector<Row> rows;
    for (const uint32_t invocations : kInvocations)
        for (const Product& product : productsOf(device))
            rows.push_back({product, granularityOf(device), invocations});
    return writeRows(rows, count, out);
}

#ifdef VK_EXT_cooperative_matrix_maintenance1
VkResult GetPhysicalDeviceCooperativeMatrixProperties2EXT(
    VkPhysicalDevice handle, const VkPhysicalDeviceCooperativeMatrixInfo2EXT* info, uint32_t* count,
    VkCooperativeMatrixProperties2EXT* out) {
    const bool saturating = info->flags & VK_COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_BIT_EXT;
    std::vector<Row> rows;
    for (const Product& product : productsOf(*from<PhysicalDevice>(handle), saturating))
        rows.push_back({product, granularityOf(*from<PhysicalDevice>(handle)), 0});
    return writeRows(rows, count, out);
}
#endif

VkResult GetPhysicalDeviceCooperativeVectorPropertiesNV(VkPhysicalDevice, uint32_t* count,
                                                        VkCooperativeVectorPropertiesNV* out) {
    return writeList(static_cast<uint32_t>(std::size(kVectorProducts)), count, out,
                     [](VkCooperativeVectorPropertiesNV& to, uint32_t i) {
                         const VectorProduct& row = kVectorProducts[i];
                         to.inputType = row.input;
                         to.inputInterpretation = row.interpretation;
                         to.matrixInterpretation = row.matrix;
                         to.biasInterpretation = row.bias;
                         to.resultType = row.result;
                         to.transpose = VK_TRUE;
                     });
}

}  // namespace coopvk::reference::icd
