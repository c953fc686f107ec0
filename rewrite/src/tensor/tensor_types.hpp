// SPDX-License-Identifier: Apache-2.0
//
// Tensor layouts and views (SPV_NV_tensor_addressing) become structures of u32, one member for each
// number of their logical state, so that they may be kept and passed like any value.
#pragma once

#include <map>

#include "lowering/context.hpp"

namespace coopvk::rewrite {

inline constexpr uint32_t kMaxTensorDimensions = 5;

struct TensorLayoutType {
    // Numbers of each dimension, in the order of the members; the clamp value is the last member.
    enum Field : uint32_t { kBlockSize, kDimension, kStride, kOffset, kSpan, kFields };

    Id id = 0;
    uint32_t dimensions = 0;
    spv::TensorClampMode clamp = {};

    uint32_t member(Field field, uint32_t dimension) const {
        return field * dimensions + dimension;
    }
    uint32_t clampValue() const { return kFields * dimensions; }
    uint32_t members() const { return clampValue() + 1; }
};

struct TensorViewType {
    enum Field : uint32_t { kDimension, kStride, kFields };
    enum Clip : uint32_t { kRowOffset, kRowSpan, kColumnOffset, kColumnSpan, kClips };

    Id id = 0;
    uint32_t dimensions = 0;
    bool hasDimensions = false;
    std::vector<uint32_t> permutation;

    uint32_t member(Field field, uint32_t dimension) const {
        return field * dimensions + dimension;
    }
    uint32_t clip(Clip which) const { return kFields * dimensions + which; }
    uint32_t members() const { return clip(kClips); }
};

struct TensorTypes {
    std::map<Id, TensorLayoutType> layouts;  // by type id
    std::map<Id, TensorViewType> views;

    // Of a value; nullptr for any other one.
    const TensorLayoutType* layoutOf(const Module& module, Id value) const {
        const auto found = layouts.find(module.def(value).type);
        return found == layouts.end() ? nullptr : &found->second;
    }
    const TensorViewType* viewOf(const Module& module, Id value) const {
        const auto found = views.find(module.def(value).type);
        return found == views.end() ? nullptr : &found->second;
    }
};

// Redefines the types as structures. Specialization constants must be frozen.
TensorTypes lowerTensorTypes(LoweringContext& context);

// A value's members, all u32. Those of a value that was constructed of them are these.
std::vector<Id> tensorMembers(Emitter& emit, Id value);

// Lowers an instruction that makes a layout or a view.
void lowerTensorValue(LoweringContext& context, const TensorTypes& types, Emitter& emit,
                      const Instruction& i);

// The instructions that do.
inline constexpr spv::Op kTensorValues[] = {
    spv::Op::OpCreateTensorLayoutNV,       spv::Op::OpTensorLayoutSetBlockSizeNV,
    spv::Op::OpTensorLayoutSetDimensionNV, spv::Op::OpTensorLayoutSetStrideNV,
    spv::Op::OpTensorLayoutSliceNV,        spv::Op::OpTensorLayoutSetClampValueNV,
    spv::Op::OpCreateTensorViewNV,         spv::Op::OpTensorViewSetDimensionNV,
    spv::Op::OpTensorViewSetStrideNV,      spv::Op::OpTensorViewSetClipNV};

// Quotients and remainders of u32 by numbers that are 1 in place of 0.
Id safeDivide(Emitter& emit, Id a, Id b);
Id safeRemainder(Emitter& emit, Id a, Id b);

}  // namespace coopvk::rewrite
