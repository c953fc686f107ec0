// SPDX-License-Identifier: Apache-2.0
//
// Tensor layouts and views (SPV_NV_tensor_addressing) become structures of u32, with a member for
// each number of their state, since variables and parameters may have structures.
#pragma once

#include <algorithm>
#include <map>

#include "lowering/context.hpp"

namespace coopvk::rewrite {

inline constexpr uint32_t kMaxTensorDimensions = 5;

struct TensorLayoutType {
    // The members: for each field, one number for each dimension; then the clamp value.
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
    // The members: for each field, one number for each dimension; then those of the clip.
    enum Field : uint32_t { kDimension, kStride, kFields };
    enum Clip : uint32_t { kRowOffset, kRowSpan, kColumnOffset, kColumnSpan, kClips };

    Id id = 0;
    uint32_t dimensions = 0;
    bool hasDimensions = false;
    bool mayClip = false;  // an instruction sets a clip of such a view
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

    // The type of a value; nullptr: it is not a layout, or not a view.
    const TensorLayoutType* layoutOf(const Module& module, Id value) const {
        const auto found = layouts.find(module.def(value).type);
        return found == layouts.end() ? nullptr : &found->second;
    }
    const TensorViewType* viewOf(const Module& module, Id value) const {
        const auto found = views.find(module.def(value).type);
        return found == views.end() ? nullptr : &found->second;
    }
};

inline bool isTensorLoad(const Instruction& i) {
    return i.opcode == OpCooperativeMatrixLoadTensorNV;
}

// Redefines the types as structures. Specialization constants must be frozen. Sets context.error
// where a type is invalid.
TensorTypes lowerTensorTypes(LoweringContext& context);

// Replaces loads of variables that hold layouts or views by what was stored, where that is known:
// then members that are constants are known, too. Runs before lowerTensorTypes().
//
//   before:  v = a; ... b = slice(v, ...)
//   after:   ... b = slice(a, ...)
void forwardTensorValues(Module& module);

// The members of a value of a structure type. Emits nothing where OpCompositeConstruct made the
// value.
std::vector<Id> structureMembers(Emitter& emit, Id value);

// Lowers one of kTensorValues.
void lowerTensorValue(LoweringContext& context, const TensorTypes& types, Emitter& emit,
                      const Instruction& i);

// The instructions that make layouts or views.
inline constexpr spv::Op kTensorValues[] = {
    OpCreateTensorLayoutNV,    OpTensorLayoutSetBlockSizeNV, OpTensorLayoutSetDimensionNV,
    OpTensorLayoutSetStrideNV, OpTensorLayoutSliceNV,        OpTensorLayoutSetClampValueNV,
    OpCreateTensorViewNV,      OpTensorViewSetDimensionNV,   OpTensorViewSetStrideNV,
    OpTensorViewSetClipNV};

inline bool isTensorValue(spv::Op opcode) {
    return std::ranges::find(kTensorValues, opcode) != std::end(kTensorValues);
}

// a / b and a % b of u32; where b is 0, by 1.
Id safeDivide(Emitter& emit, Id a, Id b);
Id safeRemainder(Emitter& emit, Id a, Id b);

// Whether a u32 or u64 is a multiple of a constant: a boolean.
inline Id isMultiple(Emitter& emit, Id number, uint32_t of) {
    const Id rest = emit.modulo(number, of);
    return emit.compare(OpIEqual, rest, emit.types().constant(emit.typeOf(rest), 0));
}

// The copy of a decode function whose first parameter is a physical pointer, for a tensor in a
// descriptor's buffer. In its place the copy takes the arguments of `place`, and the bytes from the
// start of the buffer (bufferIndexType()). 0, with an error, where the function needs the address
// itself, which no descriptor tells.
//
//   before:  decode(block pointer, coordinates...) { return pointer->scale * 2 }
//   after:   decode(bytes from the buffer's start, coordinates...) { return alias[bytes / 4] * 2 }
Id cloneDecode(LoweringContext& context, const Instruction& at, Id function,
               const BufferPlace& place);

}  // namespace coopvk::rewrite
