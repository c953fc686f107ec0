// SPDX-License-Identifier: Apache-2.0
//
// The last check of each output: nothing that was lowered is left in it. One scan, in all builds.
#include <algorithm>

#include "api/passes.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"
#include "numbers/lower.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

using enum Extension;

// The opcodes from `first` to `last` are only in modules that use one of the extensions. The rows
// are sorted.
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
    {OpCooperativeMatrixConvertNV, OpCooperativeMatrixConvertNV, kOfWholeMatrices},
    {OpCooperativeVectorLoadNV, OpCooperativeVectorStoreNV, {kNvCooperativeVector}},
    {OpTypeCooperativeMatrixNV, OpCooperativeMatrixLengthNV, {kNvCooperativeMatrix}},
    {OpCooperativeMatrixGetCoordinateEXT, OpCooperativeMatrixGetCoordinateEXT, kOfWholeMatrices},
    {OpCooperativeMatrixReduceNV, OpTensorViewSetStrideNV, kOfWholeMatrices},
    {OpTensorViewSetClipNV, OpTensorViewSetClipNV, kOfWholeMatrices},
    {OpTensorLayoutSetBlockSizeNV, OpTensorLayoutSetBlockSizeNV, kOfWholeMatrices},
    {OpCooperativeMatrixTransposeNV, OpCooperativeMatrixTransposeNV, kOfWholeMatrices},
    {OpSubgroup2DBlockLoadINTEL, OpSubgroup2DBlockStoreINTEL, {kIntel2dBlockIo}},
};

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
        if (i.opcode == kOpBitcastExtract) return isLackingCast();
        if (i.opcode < kRefusedOpcodes[0].first) return false;  // most instructions
        if (kOpDot2Sum32 <= i.opcode && i.opcode <= kOpDot4Sum32) return isLackingDot(i.opcode);
        return std::ranges::any_of(kRefusedOpcodes, [&](const OpcodeRange& row) {
            return row.first <= i.opcode && i.opcode <= row.last &&
                   lowered_.containsAny(row.extensions);
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
            hasFloatAtomics(words, r_.target.nativeFeatures[kExtShaderAtomicFloat])) {
            left.insert(kExtShaderAtomicFloat);
        }
        for (const ExtensionInfo& row : extensionTable()) {
            if (left.contains(row.extension)) return row.extension;
        }
        return std::nullopt;
    }

 private:
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

std::optional<Error> checkBound(std::span<const uint32_t> words) {
    constexpr size_t kBound = 3;
    if (words.size() <= kBound || words[kBound] <= kMaxIdBound) return std::nullopt;
    return Error{ErrorCode::kUnsupported,
                 std::format("the rewritten shader has {} ids; SPIR-V allows {}", words[kBound],
                             kMaxIdBound)};
}

std::optional<Error> checkNothingIsLeft(const Rewriting& rewriting) {
    if (std::optional<Error> error = checkBound(rewriting.out.words)) return error;
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
