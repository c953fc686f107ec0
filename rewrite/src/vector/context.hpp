// SPDX-License-Identifier: Apache-2.0
//
// What the lowering of cooperative vectors knows of its types and of the shader's stage.
#pragma once

#include <set>

#include "lowering/context.hpp"

namespace coopvk::rewrite {

// A cooperative vector type and the array of packs that stands for it. Components of 8 and 16 bits
// are held in packs, vectors of 32 bits; the last pack may have components of no meaning. The
// type's id is redefined as that array, so instructions that only move vectors stay as they are.
struct VectorType {
    Id id = 0;
    Id component = 0;  // scalar type
    uint32_t count = 0;
    uint32_t packWidth = 1;
    Id pack = 0;  // component type or vector of it

    uint32_t packs() const { return (count + packWidth - 1) / packWidth; }
};

// Instructions of a size that drivers still take unrolled; larger ones become loops.
inline constexpr uint32_t kUnrolledPacks = 128;

inline bool isLarge(const VectorType& type) { return type.packs() > kUnrolledPacks; }

struct VectorContext : LoweringContext {
    using LoweringContext::LoweringContext;

    Stage stage = Stage::kCompute;
    std::array<uint32_t, 3> localSize = {0, 0, 0};
    std::map<Id, VectorType> vectors;  // by type id; ordered, so that output is deterministic
    std::map<std::vector<uint32_t>, Id> variables;  // shared and built-in variables by key
    std::set<std::string_view> paths;               // Rewritten::paths

    const VectorType* vector(Id type) const {
        const auto found = vectors.find(type);
        return found == vectors.end() ? nullptr : &found->second;
    }
    // The vector type, if it is a large one.
    const VectorType* largeVector(Id type) const {
        const VectorType* found = vector(type);
        return found != nullptr && isLarge(*found) ? found : nullptr;
    }
    const VectorType* vectorOfValue(Id value) const { return vector(module.def(value).type); }
};

// What starts the key of each kind of helper function.
enum class HelperKind : uint32_t {
    kMap,
    kExtract,
    kInsert,
    kLoad,
    kStore,
    kMultiply,
    kTile,
    kOuterProduct,
    kReduceSum,
    kGather,
    kCopy,
    kFill,
};

}  // namespace coopvk::rewrite
