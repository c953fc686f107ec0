// SPDX-License-Identifier: Apache-2.0
//
// What every part of matrix lowering shares: the module, the target, the matrix types and their
// fragments, and one place for the first error.
#pragma once

#include <format>
#include <map>

#include "ir/emitter.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

// A cooperative matrix type and the array of packs that stands for it in each invocation. The
// type's id is redefined as that array, so instructions that only move matrices stay as they are.
struct MatrixType {
    Id id = 0;
    Id component = 0;  // scalar type
    uint32_t rows = 0;
    uint32_t columns = 0;
    Use use = Use::kAccumulator;
    Fragment fragment;
    Id pack = 0;           // component type or vector of it
    bool nibbles = false;  // components are 4-bit integers in 8-bit ones: see nibbles.hpp
    bool words = false;    // packs are words of 4- or 8-bit components: see operand_words.hpp

    uint32_t length() const { return fragment.length(); }
};

struct LoweringContext {
    Module& module;
    TypeTable& types;
    const Target& target;
    LayoutPolicy policy;
    std::map<Id, MatrixType> matrices;  // by type id; ordered, so that output is deterministic
    std::map<std::vector<uint32_t>, Id> helpers;  // helper functions by key
    std::vector<std::unique_ptr<Function>> newFunctions;
    std::optional<Error> error;
    // Matrix types whose 8-bit components stand for 4-bit ones.
    std::map<Id, bool> nibbles = {};

    const MatrixType* matrix(Id type) const {
        const auto found = matrices.find(type);
        return found == matrices.end() ? nullptr : &found->second;
    }
    const MatrixType* matrixOfValue(Id value) const { return matrix(module.def(value).type); }

    // Keeps the first error; lowering runs on with harmless values until the walk notices.
    void fail(ErrorCode code, const Instruction& at, std::string_view what) {
        if (error) return;
        error = Error{code, std::format("instruction {} (result %{}): {}",
                                        static_cast<uint32_t>(at.opcode), at.result, what)};
    }
};

}  // namespace coopvk::rewrite
