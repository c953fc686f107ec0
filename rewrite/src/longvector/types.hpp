// SPDX-License-Identifier: Apache-2.0
//
// SPV_EXT_long_vector: which types are long vectors, and what they become.
//
//   vector<float, 8> v;      float v[8];              a value is in a Function variable
//   buffer { vector<float, 8> v; }
//                            buffer { float v[8]; }   with ArrayStride 4
//
// OpTypeVectorIdEXT of two to four components becomes OpTypeVector. The opcode is also that of
// OpTypeCooperativeVectorNV: cooperative types stay, and only the instructions on them that the
// lowering of cooperative vectors does not know are lowered here.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Component Count of a vector type; nullopt unless it is a constant that is allowed. coopvk
// advertises 1,024; the limit bounds the code that drivers must compile.
std::optional<uint32_t> componentCount(const Module& module, const Instruction& type);
inline constexpr std::string_view kBadCount = "Component Count must be a constant from 1 to 16384";

// Up to so many components, instructions are repeated for each component; loops compute more.
inline constexpr uint32_t kUnrolledComponents = 16;
// A driver that unrolls loops over more components compiles for seconds, and gains nothing: no
// registers hold so many.
inline constexpr uint32_t kUnrollableComponents = 64;
constexpr spv::LoopControlMask loopControl(uint32_t count) {
    return count > kUnrollableComponents ? spv::LoopControlMask::DontUnroll
                                         : spv::LoopControlMask::MaskNone;
}

// Whether the result is a structure of two vectors: OpIAddCarry, OpUMulExtended, ModfStruct and so
// on.
bool givesPair(const Instruction& i);

struct LongVector {
    Id id = 0;  // redefined as an array, unless it is cooperative
    Id component = 0;
    uint32_t count = 0;
    bool isCooperative = false;

    bool isLooped() const { return count > kUnrolledComponents; }
};

struct LongVectorContext : LoweringContext {
    using LoweringContext::LoweringContext;

    std::map<Id, LongVector> vectors;  // by type id; ordered, so that output is deterministic
    std::map<Id, Id> inMemory;         // an array with ArrayStride -> the type that it stands for
    std::map<Id, Id> memoryTypes;      // the inverse
    std::map<Id, Id> constants;        // composite constant -> a variable that has its value
    std::map<Id, Id> pointers;         // type -> type of pointers to variables of functions
    // Types with cooperative vectors in them, of which memory has another form.
    std::unordered_set<Id> withCooperative;
    // Structures of two vectors of which the block only extracts the members.
    std::unordered_set<Id> takenApart;

    const LongVector* vector(Id type) const {
        const auto found = vectors.find(type);
        return found == vectors.end() ? nullptr : &found->second;
    }
    // The type if its values are lowered: if it is not cooperative.
    const LongVector* lowered(Id type) const {
        const LongVector* found = vector(type);
        return found == nullptr || found->isCooperative ? nullptr : found;
    }
    const LongVector* vectorOfValue(Id value) const { return vector(module.def(value).type); }
    // The type, or the one that it stands for in memory.
    const LongVector* vectorOrInMemory(Id type) const {
        const auto found = inMemory.find(type);
        return vector(found == inMemory.end() ? type : found->second);
    }
    Id functionPointer(Id type) {
        Id& pointer = pointers[type];
        if (pointer == 0) pointer = types.pointerType(spv::StorageClass::Function, type);
        return pointer;
    }
    // The array with ArrayStride of a long vector with an explicit layout.
    Id memoryType(const LongVector& vector);
};

// Adds the types to the context. Until they are lowered, all of them have OpTypeVector, by which
// specialization constants are folded.
std::optional<Error> declareLongVectors(LongVectorContext& context);
// Redefines the types as arrays. Gives those in memory with an explicit layout types of their own.
void layOutLongVectors(LongVectorContext& context);

// After that: lowers SPV_EXT_long_vector to core SPIR-V.
std::optional<Error> lowerLongVectors(LongVectorContext& context);

}  // namespace coopvk::rewrite
