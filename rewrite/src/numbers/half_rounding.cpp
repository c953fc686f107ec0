// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "ir/arithmetic_decorations.hpp"
#include "ir/control_flow.hpp"
#include "ir/opcodes.hpp"
#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

namespace {

class HalfRounding {
 public:
    explicit HalfRounding(TypeTable& types) : types_(types), module_(types.module()) {}

    void run() {
        for (const auto& function : module_.functions()) {
            replaceInBlocks(types_, *function,
                            [&](Emitter& emit, const Instruction& i) { return lower(emit, i); });
        }
        for (auto& function : added_) module_.functions().push_back(std::move(function));
        // Calls may not have these decorations.
        module_.removeDecorations([&](const Instruction& i) {
            return decoratesArithmetic(i) && replaced_.contains(i.word(0));
        });
    }

 private:
    bool lower(Emitter& emit, const Instruction& i) {
        if (i.opcode != OpFConvert) return false;
        const uint32_t components = types_.components(i.type);
        if (components == 0 || !types_.isHalf(types_.scalarOf(i.type))) return false;
        const Id from = types_.vectorType(types_.floatType(32), components);
        const bool truncates = module_.decoration(i.result, spv::Decoration::FPRoundingMode) ==
                               static_cast<uint32_t>(spv::FPRoundingMode::RTZ);
        if (components > 4 || truncates || emit.typeOf(i.word(0)) != from) return false;
        const Id value = i.word(0);
        emit.call(i.type, functionFor(components), std::span(&value, 1), i.result);
        replaced_.insert(i.result);
        return true;
    }

    Id functionFor(uint32_t components) {
        Id& function = functions_[components - 1];
        if (function != 0) return function;
        return function = halfFunction(types_, added_, components, Rounding::kNearestEven);
    }

    TypeTable& types_;
    Module& module_;
    FunctionList added_;
    Id functions_[4] = {};  // by components - 1
    std::unordered_set<Id> replaced_;
};

}  // namespace

void roundHalvesInIntegers(TypeTable& types) {
    if (halfRounding(types.module()) == Rounding::kNearestEven) HalfRounding(types).run();
}

}  // namespace coopvk::rewrite
