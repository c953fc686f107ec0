// SPDX-License-Identifier: Apache-2.0
//
// What a module uses, by the extensions that scan() found and the capabilities that it declares.
#include <algorithm>

#include "api/passes.hpp"
#include "ir/instruction_words.hpp"

namespace coopvk::rewrite {

namespace {

constexpr Extension kOfWholeMatrices[] = {Extension::kNvCooperativeMatrix2,
                                          Extension::kExtCooperativeMatrixMaintenance1,
                                          Extension::kNvCooperativeMatrixDecodeVector};

}  // namespace

bool needsWholeMatrices(const Module& module) {
    for (const Extension extension : kOfWholeMatrices) {
        for (const ExtensionCapability& one : info(extension).capabilities) {
            if (module.hasCapability(static_cast<spv::Capability>(one.capability))) return true;
        }
    }
    constexpr auto kWorkgroup = static_cast<uint64_t>(spv::Scope::Workgroup);
    return std::ranges::any_of(module.section(Section::kGlobals), [&](const InstructionPtr& i) {
        return i->opcode == spv::Op::OpTypeCooperativeMatrixKHR &&
               module.constantValue(i->word(1)) == kWorkgroup;
    });
}

void removeWholeMatrixDeclarations(Module& module) {
    for (const Extension extension : kOfWholeMatrices) {
        for (const ExtensionCapability& one : info(extension).capabilities) {
            module.removeCapability(static_cast<spv::Capability>(one.capability));
        }
        module.removeExtension(info(extension).spirvName);
    }
    module.removeExtension("SPV_NV_tensor_addressing");
}

bool usesWholeMatrices(const ExtensionSet& used) {
    return std::ranges::any_of(kOfWholeMatrices, [&](Extension one) { return used.contains(one); });
}

bool usesMatrices(const ExtensionSet& used) {
    return used.contains(Extension::kKhrCooperativeMatrix) ||
           used.contains(Extension::kNvCooperativeMatrix) ||
           used.contains(Extension::kQcomCooperativeMatrixConversion) || usesWholeMatrices(used);
}

bool usesFormatMatrices(std::span<const uint32_t> words, const Target& target) {
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

bool mayAddShapes(std::span<const uint32_t> words, const Target& target) {
    return target.addsShapes && declares(words, spv::Capability::CooperativeMatrixKHR) &&
           !declares(words, spv::Capability::Int4CooperativeMatrixINTEL);
}

}  // namespace coopvk::rewrite
