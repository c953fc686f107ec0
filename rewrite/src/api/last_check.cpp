// SPDX-License-Identifier: Apache-2.0
//
// What a module uses, by the extensions that scan() found and the capabilities that it declares.
#include <algorithm>

#include "api/passes.hpp"
#include "ir/instruction.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"
#include "numbers/lower.hpp"
#include "passes/whole_module.hpp"

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
        return i->opcode == OpTypeCooperativeMatrixKHR &&
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

// The last check of each output: nothing that was lowered is left in it. One scan, in all builds.

namespace {

using enum Extension;

constexpr ExtensionSet kWhole = {kNvCooperativeMatrix2, kExtCooperativeMatrixMaintenance1,
                                 kNvCooperativeMatrixDecodeVector};

// The opcodes from `first` to `last` are only in modules that use one of the extensions.
struct OpcodeRange {
    spv::Op first, last;
    ExtensionSet extensions;
};

constexpr OpcodeRange kRefusedOpcodes[] = {
    {OpTypeCooperativeMatrixKHR, OpCooperativeMatrixLengthKHR, {kKhrCooperativeMatrix}},
    {OpConstantCompositeReplicateEXT,
     OpCompositeConstructReplicateEXT,
     {kExtShaderReplicatedComposites}},
    {OpBitCastArrayQCOM, OpBitCastArrayQCOM, {kQcomCooperativeMatrixConversion}},
    {OpCompositeConstructCoopMatQCOM, OpExtractSubArrayQCOM, {kQcomCooperativeMatrixConversion}},
    {OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV, {kNvCooperativeVector}},
    {OpCooperativeMatrixConvertNV, OpCooperativeMatrixConvertNV, kWhole},
    {OpCooperativeVectorLoadNV, OpCooperativeVectorStoreNV, {kNvCooperativeVector}},
    {OpTypeCooperativeMatrixNV, OpCooperativeMatrixLengthNV, {kNvCooperativeMatrix}},
    {OpCooperativeMatrixGetCoordinateEXT, OpCooperativeMatrixGetCoordinateEXT, kWhole},
    {OpCooperativeMatrixReduceNV, OpTensorViewSetStrideNV, kWhole},
    {OpTensorViewSetClipNV, OpTensorViewSetClipNV, kWhole},
    {OpTensorLayoutSetBlockSizeNV, OpTensorLayoutSetBlockSizeNV, kWhole},
    {OpCooperativeMatrixTransposeNV, OpCooperativeMatrixTransposeNV, kWhole},
    {OpSubgroup2DBlockLoadINTEL, OpSubgroup2DBlockStoreINTEL, {kIntel2dBlockIo}},
};

constexpr uint32_t kLowestOpcode =
    static_cast<uint32_t>(kRefusedOpcodes[0].first);  // the lowest opcode

class LastCheck {
 public:
    explicit LastCheck(const Rewriting& rewriting) : r_(rewriting), lowered_(rewriting.out.used) {
        // The driver's matrices are in the output of the native back-end, and vectors may be
        // computed with them.
        if (r_.native || !r_.target.emulated.contains(kKhrCooperativeMatrix)) {
            lowered_.erase(kKhrCooperativeMatrix);
        }
    }

    bool isLeft(const Instruction& i) const {
        if (i.opcode == OpTypeInt) return i.word(0) == 4 && lowered_.contains(kIntelInt4);
        if (i.opcode == OpTypeFloat) return isLackingFloat(i);
        if (i.opcode == OpTypeVector) {
            return (i.word(1) == 1 || i.word(1) > 4) && lowered_.contains(kExtShaderLongVector);
        }
        if (static_cast<uint32_t>(i.opcode) < kLowestOpcode)
            return i.opcode == kOpBitcastExtract && isLackingCast();
        if (kOpDot2Sum32 <= i.opcode && i.opcode <= kOpDot4Sum32) return isLackingDot(i.opcode);
        return std::ranges::any_of(kRefusedOpcodes, [&](const OpcodeRange& row) {
            return row.first <= i.opcode && i.opcode <= row.last && isLowered(row.extensions);
        });
    }

    // An extension of which a capability is left, or another sign that scan() knows. Atomics of
    // shared memory, which are the driver's, have the same capability.
    std::optional<Extension> declared() const {
        const std::span<const uint32_t> words = r_.out.words;
        ExtensionSet others = lowered_;
        others.erase(kExtShaderAtomicFloat);
        if (hasOwnDots()) others.erase(kValveShaderMixedFloatDotProduct);
        ExtensionSet left = scan(words, others, r_.target.nativeFeatures);
        if (lowered_.contains(kExtShaderAtomicFloat) &&
            hasFloatAtomics(words.subspan(forEachCapability(words, [](spv::Capability) {})),
                            r_.target.nativeFeatures[kExtShaderAtomicFloat])) {
            left.insert(kExtShaderAtomicFloat);
        }
        for (const ExtensionInfo& row : extensionTable()) {
            if (left.contains(row.extension)) return row.extension;
        }
        return std::nullopt;
    }

 private:
    bool isLowered(const ExtensionSet& extensions) const {
        return std::ranges::any_of(extensionTable(), [&](const ExtensionInfo& row) {
            return extensions.contains(row.extension) && lowered_.contains(row.extension);
        });
    }

    bool lacks(Extension extension, uint32_t features) const {
        return lowered_.contains(extension) &&
               (r_.target.nativeFeatures[extension] & features) == 0;
    }

    bool isLackingFloat(const Instruction& type) const {
        constexpr uint32_t kType = 1u << 0;  // the feature
        if (type.operands.size() == 1) {
            return type.word(0) == 16 && lacks(kKhrShaderFloat16Int8, kType);
        }
        const auto encoding = static_cast<spv::FPEncoding>(type.word(1));
        if (isMicroscaled(encoding)) {
            return lacks(kExtShaderOcpMicroscalingTypes, featureOf(encoding));
        }
        return lacks(type.word(0) == 16 ? kKhrShaderBfloat16 : kExtShaderFloat8, kType);
    }

    bool isLackingCast() const {
        return lacks(kExtShaderOcpMicroscalingTypes, kFloat4Feature | kFloat6Feature);
    }

    // Products of matrices use those that the device has, also if the module's own are lowered.
    bool hasOwnDots() const { return r_.target.device.hasMixedDots; }
    bool isLackingDot(spv::Op opcode) const {
        return lacks(kValveShaderMixedFloatDotProduct, ~0u) &&
               !(opcode == kOpDot2Sum32 && hasOwnDots());
    }

    const Rewriting& r_;
    ExtensionSet lowered_;
};

}  // namespace

std::optional<Error> checkNothingIsLeft(const Rewriting& rewriting) {
    const LastCheck check(rewriting);
    const Instruction* left = nullptr;
    forEachInstruction(rewriting.module, [&](const Instruction* i) {
        if (left == nullptr && check.isLeft(*i)) left = i;
    });
    if (left != nullptr) {
        return errorAt(ErrorCode::kUnsupported, *left, "internal error: it is left in the output");
    }
    if (const std::optional<Extension> extension = check.declared()) {
        return Error{ErrorCode::kUnsupported,
                     std::format("internal error: a use of {} is left in the output",
                                 info(*extension).vulkanName)};
    }
    return std::nullopt;
}

}  // namespace coopvk::rewrite
