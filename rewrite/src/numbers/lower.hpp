// SPDX-License-Identifier: Apache-2.0
//
// SPV_KHR_bfloat16, SPV_EXT_float8, SPV_EXT_ocp_microscaling_types and half floats: floats that the
// device does not have become unsigned integers of the same bits (those of fewer than 8 bits become
// bytes), and each conversion becomes code, as does arithmetic with half floats. Memory, composites
// and bit casts keep their bits.
#pragma once

#include <unordered_set>

#include "lowering/context.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

// An OpTypeMatrix.
struct PlainMatrix {
    Id column = 0;
    uint32_t columns = 0;
};

struct NumbersContext : LoweringContext {
    using LoweringContext::LoweringContext;

    std::map<Id, const Number*> lowered;  // scalars and vectors to lower, by type id
    std::map<Id, PlainMatrix> matrices;   // of half floats, by type id; they become arrays
    std::map<Id, Id> matricesInMemory;    // of these, the arrays in memory with a layout
    bool lowersDots = false;              // OpDot of bfloat16
    std::unordered_set<Id> replaced;      // instructions that have become code

    // The format of a type that is lowered; nullptr for other types.
    const Number* format(Id type) const {
        const auto found = lowered.find(type);
        return found == lowered.end() ? nullptr : found->second;
    }
    const Number* formatOf(Id value) const { return format(module.def(value).type); }
    // By decorations: SaturatedToLargestFloat8NormalConversionEXT, and FPRoundingMode RTZ.
    bool isSaturated(Id conversion) const;
    bool isTruncated(Id conversion) const;
    // The type itself if it is not lowered.
    Id replacement(Id type);

    // Refuses instructions that may not take these numbers.
    void checkKept(const Instruction& instruction) override;
};

// Bits of Extension::kExtShaderOcpMicroscalingTypes in ExtensionFeatures: members of
// VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT.
inline constexpr uint32_t kFloat4Feature = 1u << 0;
inline constexpr uint32_t kFloat6Feature = 1u << 1;
inline constexpr uint32_t kE8M0Feature = 1u << 2;
inline constexpr uint32_t kMxInt8Feature = 1u << 3;
// That of a format of the extension.
uint32_t featureOf(spv::FPEncoding microscaled);

// Which of the extensions the target emulates that a module has types or OpDot of, beside what
// Target::nativeFeatures leave to the driver.
ExtensionSet numbersToLower(const Module& module, const PlannedTarget& target);
// Whether vectors of more than four components have components that the pass lowers.
bool hasLongVectorsToLower(const TypeTable& types, const PlannedTarget& target);

// The pass. Specialization constants must be frozen, and matrices and vectors lowered. Ends with
// roundHalvesInIntegers(), also without extensions.
std::optional<Error> lowerNumbers(NumbersContext& context, ExtensionSet extensions);

// Conversions from f32 to f16 become integer arithmetic, for DevicePlan::roundsHalvesInIntegers.
// Those that round toward zero stay, and all if f16 or f32 does so, or if f16 flushes denormals.
//
//   %h = OpFConvert %f16 %x      %h = OpFunctionCall %f16 %coopvk_f32x1_to_f16 %x
void roundHalvesInIntegers(TypeTable& types);

// Lowers OpFDot2MixAcc32VALVE, OpFDot2MixAcc16VALVE and OpFDot4MixAcc32VALVE to conversions, OpDot
// and OpFAdd: those that the target emulates, and those on formats that the target emulates. The
// order and precision of the additions is the implementation's choice
// (SPV_VALVE_mixed_float_dot_product, issue 1). Runs before the passes that make such instructions
// for a device that has them.

// Bits of Extension::kValveShaderMixedFloatDotProduct in ExtensionFeatures: members of
// VkPhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE.
inline constexpr uint32_t kHalvesToSingle = 1u << 0;
inline constexpr uint32_t kHalvesToHalf = 1u << 1;
inline constexpr uint32_t kBfloat16Dots = 1u << 2;
inline constexpr uint32_t kFloat8Dots = 1u << 3;

std::optional<Error> lowerMixedDots(TypeTable& types, const PlannedTarget& target);

}  // namespace coopvk::rewrite
