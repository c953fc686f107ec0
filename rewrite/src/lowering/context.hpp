// SPDX-License-Identifier: Apache-2.0
//
// What every lowering shares: the module, the target, the functions that it adds, and one place for
// the first error. The lowering of matrices, of vectors and so on adds what it knows of its types.
#pragma once

#include <format>
#include <map>

#include "ir/emitter.hpp"
#include "ir/function_builder.hpp"
#include "lowering/buffer_views.hpp"

namespace coopvk::rewrite {

// An error that names the instruction which caused it.
inline Error errorAt(ErrorCode code, const Instruction& at, std::string_view what) {
    return {code, std::format("instruction {} (result %{}): {}", static_cast<uint32_t>(at.opcode),
                              at.result, what)};
}

struct LoweringContext {
    LoweringContext(TypeTable& theTypes, const Target& theTarget)
        : module(theTypes.module()), types(theTypes), target(theTarget), views(theTypes) {}
    virtual ~LoweringContext() = default;

    Module& module;
    TypeTable& types;
    const Target& target;
    BufferViews views;
    std::map<std::vector<uint32_t>, Id> helpers;  // helper functions by key
    FunctionList newFunctions;
    std::optional<Error> error;

    // Keeps the first error; lowering runs on with harmless values until the walk notices.
    // False, for callers that say so.
    bool fail(ErrorCode code, const Instruction& at, std::string_view what) {
        if (!error) error = errorAt(code, at, what);
        return false;
    }

    // Looks at an instruction that nothing lowers; an error where it may not stay.
    virtual void checkKept(const Instruction&) {}

    // The helper function for a key; `make` builds it at first and returns its id.
    template <typename Make>
    Id helper(const std::vector<uint32_t>& key, Make make) {
        const auto found = helpers.find(key);
        if (found != helpers.end()) return found->second;
        return helpers[key] = make();
    }

    // Moves the new functions to the module.
    void addNewFunctions() {
        for (auto& function : newFunctions) module.functions().push_back(std::move(function));
        newFunctions.clear();
    }
};

}  // namespace coopvk::rewrite
