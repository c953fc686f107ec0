// SPDX-License-Identifier: Apache-2.0
//
// The matrices and vectors that the device lists. It takes any size, since a matrix is one value of
// its scope; lists that must end have some usual ones.
#include <optional>

#include "commands.hpp"
#include "instance.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr auto kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;
constexpr auto kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
constexpr auto kF64 = VK_COMPONENT_TYPE_FLOAT64_KHR;
constexpr auto kBF16 = VK_COMPONENT_TYPE_BFLOAT16_KHR;
constexpr auto kE4M3 = VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT;
constexpr auto kE5M2 = VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT;
constexpr auto kS8 = VK_COMPONENT_TYPE_SINT8_KHR;
constexpr auto kS16 = VK_COMPONENT_TYPE_SINT16_KHR;
constexpr auto kS32 = VK_COMPONENT_TYPE_SINT32_KHR;
constexpr auto kU8 = VK_COMPONENT_TYPE_UINT8_KHR;
constexpr auto kU16 = VK_COMPONENT_TYPE_UINT16_KHR;
constexpr auto kU32 = VK_COMPONENT_TYPE_UINT32_KHR;
constexpr auto kPackedS8 = VK_COMPONENT_TYPE_SINT8_PACKED_NV;
constexpr auto kPackedU8 = VK_COMPONENT_TYPE_UINT8_PACKED_NV;

// A x B + C; the result has C's type.
struct Product {
    VkComponentTypeKHR a, b, c;
    bool saturating = false;
};
constexpr Product kProducts[] = {
    {kF16, kF16, kF16},    {kF16, kF16, kF32},     {kF32, kF32, kF32},     {kF64, kF64, kF64},
    {kBF16, kBF16, kBF16}, {kBF16, kBF16, kF32},   {kE4M3, kE4M3, kF16},   {kE4M3, kE4M3, kF32},
    {kE5M2, kE5M2, kF16},  {kE5M2, kE5M2, kF32},   {kE4M3, kE5M2, kF32},   {kE5M2, kE4M3, kF32},
    {kS8, kS8, kS32},      {kS8, kU8, kS32},       {kU8, kS8, kS32},       {kU8, kU8, kU32},
    {kU8, kU8, kS32},      {kS8, kS8, kS32, true}, {kU8, kU8, kU32, true}, {kS16, kS16, kS32},
    {kU16, kU16, kU32},    {kS32, kS32, kS32},     {kU32, kU32, kU32},
};

struct Shape {
    uint32_t m, n, k;
};
constexpr Shape kShapes[] = {{16, 16, 16}, {8, 8, 8}, {16, 8, 32}};

// A product of cooperative vectors. A row for each kind of input, as its components lie in memory.
struct VectorProduct {
    VkComponentTypeKHR input, interpretation, matrix, bias, result;
};
constexpr VectorProduct kVectorProducts[] = {
    {kF16, kF16, kF16, kF16, kF16},     {kF32, kF32, kF32, kF32, kF32},
    {kF16, kF16, kF16, kF32, kF32},     {kF16, kE4M3, kE4M3, kF16, kF16},
    {kF16, kE5M2, kE5M2, kF16, kF16},   {kE4M3, kE4M3, kE4M3, kF16, kF16},
    {kE5M2, kE5M2, kE5M2, kF16, kF16},  {kS8, kS8, kS8, kS32, kS32},
    {kU8, kU8, kU8, kU32, kU32},        {kU8, kU8, kU8, kS32, kS32},
    {kF32, kS8, kS8, kS32, kS32},       {kF32, kU8, kU8, kU32, kU32},
    {kU32, kPackedS8, kS8, kS32, kS32}, {kU32, kPackedU8, kU8, kU32, kU32},
    {kU32, kPackedU8, kU8, kS32, kS32},
};

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

// A row of a list: a product with a shape (of the lists that end), or in a number of invocations
// of a workgroup, 0 for the scope Subgroup (of the lists with granularities, which are 1).
struct Row {
    Product product;
    Shape shape;
    uint32_t invocations;
};

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
        to.MGranularity = to.NGranularity = to.KGranularity = 1;
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
    const std::vector<Product> products = productsOf(*from<PhysicalDevice>(handle));
    std::vector<Row> rows;
    for (const Product& product : products) rows.push_back({product, {}, 0});
    for (uint32_t invocations = 32; invocations <= kMaxInvocations; invocations *= 2)
        for (const Product& product : products) rows.push_back({product, {}, invocations});
    return writeRows(rows, count, out);
}

#ifdef VK_EXT_cooperative_matrix_maintenance1
VkResult GetPhysicalDeviceCooperativeMatrixProperties2EXT(
    VkPhysicalDevice handle, const VkPhysicalDeviceCooperativeMatrixInfo2EXT* info, uint32_t* count,
    VkCooperativeMatrixProperties2EXT* out) {
    const bool saturating = info->flags & VK_COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_BIT_EXT;
    std::vector<Row> rows;
    for (const Product& product : productsOf(*from<PhysicalDevice>(handle), saturating))
        rows.push_back({product, {}, 0});
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
