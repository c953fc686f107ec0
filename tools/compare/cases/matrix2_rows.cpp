// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/matrix2_rows.hpp"

#include <algorithm>
#include <numeric>

namespace coopvk::compare {
namespace {

std::vector<VkCooperativeMatrixFlexibleDimensionsPropertiesNV> list(const Gpu& gpu) {
    return vulkan::listAll<VkCooperativeMatrixFlexibleDimensionsPropertiesNV>(
        "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV",
        {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV},
        [&](uint32_t* count, auto* out) {
            return gpu.vki.vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV(
                gpu.physical, count, out);
        });
}

bool sameTypes(const MatrixRow& a, const MatrixRow& b) {
    MatrixRow sized = a;
    sized.m = b.m, sized.n = b.n, sized.k = b.k;
    return sized.sameAs(b);
}

void addSide(const Gpu& gpu, FlexibleRows& all) {
    for (const auto& p : list(gpu)) {
        const bool ofWorkgroup = p.scope == VK_SCOPE_WORKGROUP_KHR;
        if (!ofWorkgroup && p.scope != VK_SCOPE_SUBGROUP_KHR) continue;
        const MatrixRow row = {p.MGranularity,
                               p.NGranularity,
                               p.KGranularity,
                               p.AType,
                               p.BType,
                               p.CType,
                               p.ResultType,
                               p.saturatingAccumulation == VK_TRUE,
                               ofWorkgroup ? p.workgroupInvocations : 0};
        if (!mayHave(gpu, row)) {
            ++all.skipped[std::string(nameOf(gpu.side)) + " rows with bf16 or 8-bit floats"];
            continue;
        }
        auto found = std::ranges::find_if(
            all.rows, [&](const MatrixRow& other) { return sameTypes(other, row); });
        if (found == all.rows.end()) found = all.rows.insert(found, row);
        bool& listed = gpu.side == SideKind::kNative ? found->native : found->emulated;
        // A side may list several granularities of the same types: the first counts.
        if (listed) continue;
        listed = true;
        found->m = std::lcm(found->m, row.m);
        found->n = std::lcm(found->n, row.n);
        found->k = std::lcm(found->k, row.k);
    }
    const uint32_t most = gpu.matrix2Properties.cooperativeMatrixFlexibleDimensionsMaxDimension;
    all.maxDimension = all.maxDimension ? std::min(all.maxDimension, most) : most;
}

}  // namespace

uint32_t matrix2Bits(const Gpu* gpu) {
    if (gpu == nullptr) return 0;
    const auto features = gpu->featuresOf<VkPhysicalDeviceCooperativeMatrix2FeaturesNV>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV);
    uint32_t bits = 0;
    for (size_t i = 0; i < std::size(kMatrix2Bits); ++i)
        if (features.*kMatrix2Bits[i].feature) bits |= 1u << i;
    return bits;
}

FlexibleRows flexibleRows(const Gpu* native, const Gpu* emulated) {
    FlexibleRows all;
    if (native) addSide(*native, all);
    if (emulated) addSide(*emulated, all);
    return all;
}

}  // namespace coopvk::compare
