// SPDX-License-Identifier: Apache-2.0
//
// What every part of cooperative-vector lowering shares: the module, the target, the vector types
// and what stands for them, helper functions, and one place for the first error.
#pragma once

#include <format>
#include <map>
#include <set>
#include <string_view>

#include "ir/emitter.hpp"

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

struct VectorContext {
    Module& module;
    TypeTable& types;
    const Target& target;
    Stage stage = Stage::kCompute;
    std::array<uint32_t, 3> localSize = {0, 0, 0};
    std::map<Id, VectorType> vectors;  // by type id; ordered, so that output is deterministic
    std::map<std::vector<uint32_t>, Id> helpers;    // helper functions by key
    std::map<std::pair<Id, Id>, Id> aliases;        // buffer variable, element type -> variable
    std::map<std::vector<uint32_t>, Id> variables;  // shared and built-in variables by key
    std::vector<std::unique_ptr<Function>> newFunctions;
    std::optional<Error> error;
    std::set<std::string_view> paths;  // Rewritten::paths

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

    // Keeps the first error; lowering runs on with harmless values until the walk notices.
    void fail(ErrorCode code, const Instruction& at, std::string_view what) {
        if (error) return;
        error = Error{code, std::format("instruction {} (result %{}): {}",
                                        static_cast<uint32_t>(at.opcode), at.result, what)};
    }

    // The helper function for a key; `make` builds it at first and returns its id.
    template <typename Make>
    Id helper(const std::vector<uint32_t>& key, Make make) {
        const auto found = helpers.find(key);
        if (found != helpers.end()) return found->second;
        const Id id = make();
        helpers[key] = id;
        return id;
    }
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
