// SPDX-License-Identifier: Apache-2.0
#include "api/uses.hpp"

#include <algorithm>

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

bool needsWholeMatrices(const Module& module) {
    for (const ExtensionInfo& row : extensionTable()) {
        if (!kOfWholeMatrices.contains(row.extension)) continue;
        for (const ExtensionCapability& one : row.capabilities) {
            if (module.hasCapability(static_cast<spv::Capability>(one.capability))) return true;
        }
    }
    constexpr auto kWorkgroup = static_cast<uint64_t>(spv::Scope::Workgroup);
    return std::ranges::any_of(module.section(Section::kGlobals), [&](const InstructionPtr& i) {
        return i->opcode == OpTypeCooperativeMatrixKHR &&
               module.constantValue(i->word(1)) == kWorkgroup;
    });
}

void removeWholeMatrixDeclarations(Module& module) {
    for (const ExtensionInfo& row : extensionTable()) {
        if (kOfWholeMatrices.contains(row.extension)) module.removeDeclarations(row);
    }
    module.removeExtension("SPV_NV_tensor_addressing");
}

bool usesMatrices(ExtensionSet used) {
    constexpr ExtensionSet kOthers = {Extension::kKhrCooperativeMatrix,
                                      Extension::kNvCooperativeMatrix,
                                      Extension::kQcomCooperativeMatrixConversion};
    return used.containsAny(kOthers) || used.containsAny(kOfWholeMatrices);
}

bool usesFormatMatrices(std::span<const uint32_t> words, const PlannedTarget& target) {
    constexpr std::pair<Extension, spv::Capability> kMatrices[] = {
        {Extension::kKhrShaderBfloat16, spv::Capability::BFloat16CooperativeMatrixKHR},
        {Extension::kExtShaderFloat8, spv::Capability::Float8CooperativeMatrixEXT}};
    return std::ranges::any_of(kMatrices, [&](const auto& row) {
        const auto& [extension, capability] = row;
        if (!target.emulated.contains(extension) || !declares(words, capability)) return false;
        return std::ranges::any_of(info(extension).capabilities, [&](const auto& one) {
            return one.capability == static_cast<uint32_t>(capability) &&
                   (one.features & ~target.nativeFeatures[extension]) != 0;
        });
    });
}

bool mayAddShapes(std::span<const uint32_t> words, const PlannedTarget& target) {
    return target.addsShapes && declares(words, spv::Capability::CooperativeMatrixKHR) &&
           !declares(words, spv::Capability::Int4CooperativeMatrixINTEL);
}

std::optional<Extension> allowsFlexibleSizes(ExtensionSet emulated,
                                             const ExtensionFeatures& native) {
    constexpr uint32_t kFlexibleDimensions = 1u << 1, kProperties2 = 1u << 0;
    using enum Extension;
    const auto adds = [&](Extension extension, uint32_t feature) {
        return emulated.contains(extension) && (native[extension] & feature) == 0;
    };
    if (adds(kNvCooperativeMatrix2, kFlexibleDimensions)) return kNvCooperativeMatrix2;
    if (adds(kExtCooperativeMatrixMaintenance1, kProperties2)) {
        return kExtCooperativeMatrixMaintenance1;
    }
    return std::nullopt;
}

}  // namespace coopvk::rewrite
