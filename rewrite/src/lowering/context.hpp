// SPDX-License-Identifier: Apache-2.0
//
// What all lowerings use: the module, the target, the functions that they add, and the first error.
// The lowerings of matrices, vectors and so on derive their contexts from it.
#pragma once

#include <format>
#include <map>

#include "ir/control_flow.hpp"
#include "ir/emitter.hpp"
#include "lowering/place.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

// An error that names the instruction that causes it.
inline Error errorAt(ErrorCode code, const Instruction& at, std::string_view what) {
    return {code, std::format("instruction {} (result %{}): {}", static_cast<uint32_t>(at.opcode),
                              at.result, what)};
}

struct LoweringContext {
    LoweringContext(TypeTable& theTypes, const PlannedTarget& theTarget)
        : module(theTypes.module()), types(theTypes), target(theTarget), views(theTypes) {}
    virtual ~LoweringContext() = default;

    Module& module;
    TypeTable& types;
    const PlannedTarget& target;
    BufferViews views;
    std::map<std::vector<uint32_t>, Id> helpers;  // helper functions by key
    FunctionList newFunctions;
    std::optional<Error> error;

    // Keeps the first error. Lowering goes on until OpcodeTable::lower() checks for it. Returns
    // false, for callers that return this.
    bool fail(ErrorCode code, const Instruction& at, std::string_view what) {
        if (!error) error = errorAt(code, at, what);
        return false;
    }

    // Sets an error if an instruction that stays must not.
    virtual void checkKept(const Instruction&) {}

    // The helper function for a key. make() builds it once and returns its id.
    template <typename Make>
    Id helper(const std::vector<uint32_t>& key, Make make) {
        Id& function = helpers[key];
        return function != 0 ? function : function = make();
    }

    // Moves the new functions to the module.
    void addNewFunctions() {
        for (auto& function : newFunctions) module.functions().push_back(std::move(function));
        newFunctions.clear();
    }
};

}  // namespace coopvk::rewrite
