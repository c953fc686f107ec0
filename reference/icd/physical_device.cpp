// SPDX-License-Identifier: Apache-2.0
//
// What the device has: features, properties, queues, memory, matrices and vectors. The registry and
// the lists beside this file give the table of features and properties.
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "coopvk_reference/formats.hpp"
#include "coopvk_reference/listed.hpp"
#include "descriptor_buffers.hpp"

namespace coopvk::reference::icd {
namespace {

// What properties.txt names.
constexpr auto kMax32 = std::numeric_limits<uint32_t>::max();
constexpr auto kMax64 = std::numeric_limits<uint64_t>::max();
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_COMPUTE_BIT;
constexpr VkSampleCountFlags kOneSample = VK_SAMPLE_COUNT_1_BIT;
constexpr VkSampleCountFlags kSamples = kOneSample | VK_SAMPLE_COUNT_4_BIT;
using Pair = std::array<float, 2>;
constexpr VkSubgroupFeatureFlags kSubgroupOperations =
    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
    VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
    VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
    VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT |
    VK_SUBGROUP_FEATURE_ROTATE_BIT | VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT |
    VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV;

std::string deviceName(const PhysicalDevice& device) {
    return "coopvk reference device, " + std::to_string(device.settings.subgroupSize) + " lanes";
}

std::string deviceIdentity(const PhysicalDevice& device) {
    std::string identity = "coopvk-ref";
    identity.resize(VK_UUID_SIZE);
    identity.back() = char(device.settings.subgroupSize);
    return identity;
}

VkBool32 keepsDenormals(const PhysicalDevice& device, uint32_t width) {
    return (device.settings.flushed & width) == 0 ? VK_TRUE : VK_FALSE;
}
VkBool32 roundsHalves(const PhysicalDevice& device) {
    return device.settings.rounding != Direction::kHalvesTowardZero ? VK_TRUE : VK_FALSE;
}

// What the device has, or says, where programs may make objects of graphics and images.
template <typename T>
T drawn(const PhysicalDevice& device, T value) {
    return device.settings.graphics ? value : T{};
}
// Programs that draw ask for subgroups of one size.
uint32_t sizeOf(const PhysicalDevice& device, uint32_t lanes) {
    return device.settings.graphics ? device.settings.subgroupSize : lanes;
}
VkDeviceSize texelAlignment(const PhysicalDevice& device) {
    return device.settings.graphics ? 1 : kBufferAlignment;
}
VkShaderStageFlags subgroupStages(const PhysicalDevice& device) {
    return kStages | drawn(device, VkShaderStageFlags{VK_SHADER_STAGE_ALL_GRAPHICS});
}

struct StructureRow {
    VkStructureType type;
    std::string_view extension;  // that adds the structure, or ""
    size_t size, members;
    void (*fill)(const PhysicalDevice& device, void* structure);
};

// An array of numbers or letters gets the text or, in all its elements, the number.
template <typename T, typename V>
void set(T& to, const V& value) {
    if constexpr (!std::is_array_v<T>) {
        to = static_cast<T>(value);
    } else if constexpr (requires { value.size(), value[0] + 1.0f; }) {
        std::copy(value.begin(), value.end(), to);
    } else if constexpr (std::is_convertible_v<V, std::string_view>) {
        const std::string_view text = value;
        std::fill(std::begin(to), std::end(to), 0);
        std::copy_n(text.begin(), std::min(text.size(), std::size(to)), to);
    } else {
        for (auto& element : to) set(element, value);
    }
}

constexpr StructureRow kStructures[] = {
#include "structures.inc"
};

// Calls use(structure, row, known) for the structures of a chain that have a row; `known` if the
// device has the extension.
template <typename Use>
void forRows(const PhysicalDevice& device, void* chain, const Use& use) {
    while (chain != nullptr) {
        VkBaseOutStructure head;  // a copy: the structures have other types
        std::memcpy(&head, chain, sizeof(head));
        for (const StructureRow& row : kStructures) {
            if (row.type != head.sType) continue;
            use(chain, row, row.extension.empty() || device.extensions.contains(row.extension));
        }
        chain = head.pNext;
    }
}

// The features of a structure: behind sType and pNext.
std::span<VkBool32> featuresIn(void* structure, const StructureRow& row) {
    auto* begin = static_cast<std::byte*>(structure) + sizeof(VkBaseOutStructure);
    return {reinterpret_cast<VkBool32*>(begin), row.members};
}

VkQueueFamilyProperties familyOf(const PhysicalDevice& device, uint32_t number) {
    const QueueFamily& family = familiesOf(device)[number];
    const VkQueueFlags graphics =
        number == 0 ? drawn(device, VkQueueFlags{VK_QUEUE_GRAPHICS_BIT}) : VkQueueFlags{0};
    return {family.flags | graphics, family.count, 64, {1, 1, 1}};
}

// All: the queues of one process are the only ones.
void listPriorities(VkQueueFamilyGlobalPriorityProperties& to) {
    constexpr VkQueueGlobalPriority kPriorities[] = {
        VK_QUEUE_GLOBAL_PRIORITY_LOW, VK_QUEUE_GLOBAL_PRIORITY_MEDIUM,
        VK_QUEUE_GLOBAL_PRIORITY_HIGH, VK_QUEUE_GLOBAL_PRIORITY_REALTIME};
    to.priorityCount = uint32_t(std::size(kPriorities));
    std::ranges::copy(kPriorities, to.priorities);
}

}  // namespace

std::span<const QueueFamily> familiesOf(const PhysicalDevice& device) {
    return std::span(kFamilies).first(device.settings.graphics ? std::size(kFamilies) : 1);
}

bool hasFeatures(const PhysicalDevice& device, const VkDeviceCreateInfo& info) {
    VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                   const_cast<void*>(info.pNext)};
    if (info.pEnabledFeatures != nullptr) core.features = *info.pEnabledFeatures;
    bool all = true;
    forRows(device, &core, [&](void* structure, const StructureRow& row, bool known) {
        const auto asked = featuresIn(structure, row);
        std::vector<std::byte> copy(row.size);
        if (known) row.fill(device, copy.data());
        const auto supported = featuresIn(copy.data(), row);
        for (size_t i = 0; i < row.members; ++i) all &= supported[i] || !asked[i];
    });
    return all;
}

void GetPhysicalDeviceFeatures2(PhysicalDevice& device, VkPhysicalDeviceFeatures2* out) {
    forRows(device, out, [&](void* structure, const StructureRow& row, bool known) {
        std::ranges::fill(featuresIn(structure, row), VK_FALSE);
        if (known) row.fill(device, structure);
    });
}

void GetPhysicalDeviceFeatures(PhysicalDevice& device, VkPhysicalDeviceFeatures* out) {
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    GetPhysicalDeviceFeatures2(device, &all);
    *out = all.features;
}

void GetPhysicalDeviceProperties2(PhysicalDevice& device, VkPhysicalDeviceProperties2* out) {
    forRows(device, out, [&](void* structure, const StructureRow& row, bool known) {
        if (known) row.fill(device, structure);
    });
}

void GetPhysicalDeviceProperties(PhysicalDevice& device, VkPhysicalDeviceProperties* out) {
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    GetPhysicalDeviceProperties2(device, &all);
    *out = all.properties;
}

void GetPhysicalDeviceQueueFamilyProperties(PhysicalDevice& device, uint32_t* count,
                                            VkQueueFamilyProperties* out) {
    writeList(uint32_t(familiesOf(device).size()), count, out,
              [&](VkQueueFamilyProperties& to, uint32_t i) { to = familyOf(device, i); });
}

void GetPhysicalDeviceQueueFamilyProperties2(PhysicalDevice& device, uint32_t* count,
                                             VkQueueFamilyProperties2* out) {
    writeList(uint32_t(familiesOf(device).size()), count, out,
              [&](VkQueueFamilyProperties2& to, uint32_t i) {
                  to.queueFamilyProperties = familyOf(device, i);
                  if (auto* to2 = find<VkQueueFamilyGlobalPriorityProperties>(to.pNext))
                      listPriorities(*to2);
              });
}

void GetPhysicalDeviceMemoryProperties(PhysicalDevice&, VkPhysicalDeviceMemoryProperties* out) {
    *out = {};
    out->memoryTypeCount = uint32_t(std::size(kMemoryTypes));
    for (size_t i = 0; i < std::size(kMemoryTypes); ++i) out->memoryTypes[i] = {kMemoryTypes[i], 0};
    out->memoryHeapCount = 1;
    out->memoryHeaps[0] = {kHeapSize, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

void GetPhysicalDeviceMemoryProperties2(PhysicalDevice& device,
                                        VkPhysicalDeviceMemoryProperties2* out) {
    GetPhysicalDeviceMemoryProperties(device, &out->memoryProperties);
    auto* budget = find<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(out->pNext);
    if (budget == nullptr) return;
    std::fill_n(budget->heapBudget, VK_MAX_MEMORY_HEAPS, 0);
    std::fill_n(budget->heapUsage, VK_MAX_MEMORY_HEAPS, 0);
    budget->heapBudget[0] = kHeapSize;
    budget->heapUsage[0] = usedMemory();
}

namespace {

using namespace listed;

bool has(const PhysicalDevice& device, VkComponentTypeKHR type) {
    const auto number = numbers::byVulkanType(uint32_t(type));
    if (!number || numbers::format(*number).spirv.empty()) return true;
    return device.extensions.contains(type == kBF16 ? "VK_KHR_shader_bfloat16"
                                                    : "VK_EXT_shader_float8");
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

// The caller's chains stay.
template <typename T>
VkResult writeRows(const std::vector<T>& rows, uint32_t* count, T* out) {
    return writeList(uint32_t(rows.size()), count, out, [&](T& to, uint32_t i) {
        void* next = to.pNext;
        to = rows[i];
        to.pNext = next;
    });
}

}  // namespace

VkResult GetPhysicalDeviceCooperativeMatrixPropertiesKHR(PhysicalDevice& device, uint32_t* count,
                                                         VkCooperativeMatrixPropertiesKHR* out) {
    std::vector<VkCooperativeMatrixPropertiesKHR> rows;
    for (const auto& [a, b, c, saturating] : productsOf(device))
        for (const auto& [m, n, k] : kShapes)
            rows.push_back({VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR, nullptr, m, n, k,
                            a, b, c, c, saturating, VK_SCOPE_SUBGROUP_KHR});
    return writeRows(rows, count, out);
}

VkResult GetPhysicalDeviceCooperativeMatrixPropertiesNV(PhysicalDevice& device, uint32_t* count,
                                                        VkCooperativeMatrixPropertiesNV* out) {
    std::vector<VkCooperativeMatrixPropertiesNV> rows;
    for (const auto& [a, b, c, unused] : productsOf(device, false))
        for (const auto& [m, n, k] : kShapes)
            rows.push_back({VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV, nullptr, m, n, k, a,
                            b, c, c, VK_SCOPE_SUBGROUP_KHR});
    return writeRows(rows, count, out);
}

VkResult GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV(
    PhysicalDevice& device, uint32_t* count,
    VkCooperativeMatrixFlexibleDimensionsPropertiesNV* out) {
    const uint32_t any = device.settings.granularity;
    std::vector<VkCooperativeMatrixFlexibleDimensionsPropertiesNV> rows;
    for (const uint32_t invocations : kInvocations)
        for (const auto& [a, b, c, saturating] : productsOf(device))
            rows.push_back({VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV,
                            nullptr, any, any, any, a, b, c, c, saturating,
                            invocations == 0 ? VK_SCOPE_SUBGROUP_KHR : VK_SCOPE_WORKGROUP_KHR,
                            invocations});
    return writeRows(rows, count, out);
}

#ifdef VK_EXT_cooperative_matrix_maintenance1
VkResult GetPhysicalDeviceCooperativeMatrixProperties2EXT(
    PhysicalDevice& device, const VkPhysicalDeviceCooperativeMatrixInfo2EXT* info, uint32_t* count,
    VkCooperativeMatrixProperties2EXT* out) {
    const bool saturating = info->flags & VK_COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_BIT_EXT;
    const uint32_t any = device.settings.granularity;
    std::vector<VkCooperativeMatrixProperties2EXT> rows;
    for (const auto& [a, b, c, unused] : productsOf(device, saturating))
        rows.push_back({VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_2_EXT, nullptr, any, any,
                        any, a, b, c, c});
    return writeRows(rows, count, out);
}
#endif

VkResult GetPhysicalDeviceCooperativeVectorPropertiesNV(PhysicalDevice&, uint32_t* count,
                                                        VkCooperativeVectorPropertiesNV* out) {
    std::vector<VkCooperativeVectorPropertiesNV> rows;
    for (const VectorProduct& row : kVectorProducts)
        rows.push_back({VK_STRUCTURE_TYPE_COOPERATIVE_VECTOR_PROPERTIES_NV, nullptr, row.input,
                        row.interpretation, row.matrix, row.bias, row.result, VK_TRUE});
    return writeRows(rows, count, out);
}

}  // namespace coopvk::reference::icd
