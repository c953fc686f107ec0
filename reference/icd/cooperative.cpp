// SPDX-License-Identifier: Apache-2.0
//
// The matrices and vectors that the device lists. It takes any size, since a matrix is one value of
// its scope; lists that must end have some usual ones.
#include <vector>

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

std::vector<Product> productsOf(const PhysicalDevice& device) {
    std::vector<Product> products;
    for (const Product& product : kProducts) {
        if (has(device, product.a) && has(device, product.b) && has(device, product.c))
            products.push_back(product);
    }
    return products;
}

// Writes a row for each shape of each product; `fill` gets both.
template <typename T, typename Fill>
VkResult writeShapes(const std::vector<Product>& products, uint32_t* count, T* out,
                     const Fill& fill) {
    constexpr auto kPerProduct = static_cast<uint32_t>(std::size(kShapes));
    const auto size = static_cast<uint32_t>(products.size()) * kPerProduct;
    return writeList(size, count, out, [&](T& to, uint32_t i) {
        const Shape& shape = kShapes[i % kPerProduct];
        const Product& product = products[i / kPerProduct];
        to.MSize = shape.m;
        to.NSize = shape.n;
        to.KSize = shape.k;
        to.AType = product.a;
        to.BType = product.b;
        to.CType = product.c;
        to.scope = VK_SCOPE_SUBGROUP_KHR;
        fill(to, product);
    });
}

template <typename T>
void fillFlexible(T& to, const Product& product) {
    to.MGranularity = to.NGranularity = to.KGranularity = 1;
    to.AType = product.a;
    to.BType = product.b;
    to.CType = to.ResultType = product.c;
}

// 0 for the scope Subgroup, else the invocations of a workgroup: powers of two.
std::vector<uint32_t> flexibleInvocations() {
    std::vector<uint32_t> result = {0};
    for (uint32_t count = 32; count <= kMaxInvocations; count *= 2) result.push_back(count);
    return result;
}

}  // namespace

VkResult GetPhysicalDeviceCooperativeMatrixPropertiesKHR(VkPhysicalDevice handle, uint32_t* count,
                                                         VkCooperativeMatrixPropertiesKHR* out) {
    return writeShapes(productsOf(*from<PhysicalDevice>(handle)), count, out,
                       [](VkCooperativeMatrixPropertiesKHR& to, const Product& product) {
                           to.ResultType = product.c;
                           to.saturatingAccumulation = product.saturating;
                       });
}

VkResult GetPhysicalDeviceCooperativeMatrixPropertiesNV(VkPhysicalDevice handle, uint32_t* count,
                                                        VkCooperativeMatrixPropertiesNV* out) {
    std::vector<Product> products = productsOf(*from<PhysicalDevice>(handle));
    std::erase_if(products, [](const Product& product) { return product.saturating; });
    return writeShapes(
        products, count, out,
        [](VkCooperativeMatrixPropertiesNV& to, const Product& product) { to.DType = product.c; });
}

VkResult GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV(
    VkPhysicalDevice handle, uint32_t* count,
    VkCooperativeMatrixFlexibleDimensionsPropertiesNV* out) {
    const std::vector<Product> products = productsOf(*from<PhysicalDevice>(handle));
    const std::vector<uint32_t> invocations = flexibleInvocations();
    const size_t size = products.size() * invocations.size();
    return writeList(static_cast<uint32_t>(size), count, out,
                     [&](VkCooperativeMatrixFlexibleDimensionsPropertiesNV& to, uint32_t i) {
                         const Product& product = products[i % products.size()];
                         fillFlexible(to, product);
                         to.saturatingAccumulation = product.saturating;
                         to.workgroupInvocations = invocations[i / products.size()];
                         to.scope = to.workgroupInvocations == 0 ? VK_SCOPE_SUBGROUP_KHR
                                                                 : VK_SCOPE_WORKGROUP_KHR;
                     });
}

#ifdef VK_EXT_cooperative_matrix_maintenance1
VkResult GetPhysicalDeviceCooperativeMatrixProperties2EXT(
    VkPhysicalDevice handle, const VkPhysicalDeviceCooperativeMatrixInfo2EXT* info, uint32_t* count,
    VkCooperativeMatrixProperties2EXT* out) {
    const bool saturating = info->flags & VK_COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_BIT_EXT;
    std::vector<Product> products = productsOf(*from<PhysicalDevice>(handle));
    std::erase_if(products,
                  [&](const Product& product) { return product.saturating != saturating; });
    return writeList(
        static_cast<uint32_t>(products.size()), count, out,
        [&](VkCooperativeMatrixProperties2EXT& to, uint32_t i) { fillFlexible(to, products[i]); });
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
