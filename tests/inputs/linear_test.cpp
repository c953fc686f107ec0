// SPDX-License-Identifier: Apache-2.0
//
// The time of rewriting grows as modules do: eight times the code takes about eight times as long.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "forms.hpp"
#include "ir/cloner.hpp"
#include "ir/module.hpp"
#include "rewriting.hpp"

namespace coopvk::test {
namespace {

using rewrite::Function;
using rewrite::Id;
using rewrite::InstructionPtr;
using rewrite::Module;

// A copy of a function with new ids. Those in `copies` are in place already.
std::unique_ptr<Function> copyOf(const Function& function, rewrite::Cloner& copies) {
    auto copy = std::make_unique<Function>();
    copy->definition = copies.copy(*function.definition);
    for (const InstructionPtr& p : function.parameters) copy->parameters.push_back(copies.copy(*p));
    for (const auto& block : function.blocks) {
        auto& made = copy->blocks.emplace_back(std::make_unique<rewrite::Block>());
        made->label = copies.copy(*block->label);
        for (const InstructionPtr& i : block->body) made->body.push_back(copies.copy(*i));
    }
    copy->end = copies.copy(*function.end);
    return copy;
}

// The module with all of its functions `times` times. The entry point calls each copy of its former
// function.
Words repeated(const Words& words, size_t times) {
    rewrite::Result<Module> parsed = Module::parse(words);
    Module& module = *parsed;
    rewrite::Instruction& entry = *module.section(rewrite::Section::kEntryPoints).front();
    const Id original = entry.word(1);
    const size_t count = module.functions().size();
    std::vector<Id> called = {original};
    while (called.size() < times) {
        rewrite::Cloner copies(module);
        for (size_t f = 0; f < count; ++f) {
            const Function& function = *module.functions()[f];
            copies.set(function.id(), module.takeId());
            for (const auto& block : function.blocks) {
                copies.set(block->id(), module.takeId());
                for (const InstructionPtr& i : block->body) {
                    if (i->result != 0) copies.set(i->result, module.takeId());
                }
            }
        }
        for (size_t f = 0; f < count; ++f) {
            module.functions().push_back(copyOf(*module.functions()[f], copies));
        }
        called.push_back(copies(original));
    }
    const rewrite::Instruction& old = module.def(original);
    auto main = std::make_unique<Function>();
    main->definition =
        rewrite::makeInstruction(rewrite::OpFunction, old.type, module.takeId(), old.operands);
    auto& block = main->blocks.emplace_back(std::make_unique<rewrite::Block>());
    block->label = rewrite::makeInstruction(rewrite::OpLabel, 0, module.takeId(), {});
    for (const Id function : called) {
        block->body.push_back(rewrite::makeInstruction(
            rewrite::OpFunctionCall, old.type, module.takeId(), {rewrite::idOperand(function)}));
    }
    block->body.push_back(rewrite::makeInstruction(rewrite::OpReturn, 0, 0, {}));
    main->end = rewrite::makeInstruction(rewrite::OpFunctionEnd, 0, 0, {});
    const Id id = main->definition->result;
    for (const auto section : {rewrite::Section::kEntryPoints, rewrite::Section::kExecutionModes}) {
        for (const InstructionPtr& i : module.section(section)) {
            for (rewrite::Operand& o : i->operands) {
                if (o.isId && o.word == original) o.word = id;
            }
        }
    }
    module.functions().push_back(std::move(main));
    return module.serialise();
}

// The least processor time of some runs; nullopt if the module is refused.
std::optional<double> secondsOf(const Words& words, const rewrite::Target& target) {
    double least = 1e9;
    for (int run = 0; run < 3; ++run) {
        const std::clock_t start = std::clock();
        if (!rewrite::rewrite({.words = words}, target)) return std::nullopt;
        least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return least;
}

// A quadratic part would take 64 times as long. Caches miss more, and sets have more levels.
TEST(Linear, EightTimesTheCodeTakesAboutEightTimesAsLong) {
    constexpr size_t kWords = 12500, kTimes = 8, kStep = 24;
    constexpr double kMost = 16, kShortest = 1e-3;
    const std::vector<NamedTarget>& targets = allTargets();
    const std::vector<Input> inputs = allInputs();
    size_t measured = 0;
    for (size_t n = 0; n < inputs.size(); n += runsAll() ? 1 : kStep) {
        const Input& input = inputs[n];
        const NamedTarget& target = targets[n * 5 % targets.size()];
        if (input.isRefused || !isFor(input, target.target)) continue;
        const Words words = compiled(input, Variant::kPlain);
        const size_t copies = std::max<size_t>(1, kWords / words.size());
        const Words few = repeated(words, copies), many = repeated(words, kTimes * copies);
        ASSERT_FALSE(rewrite::validate(few)) << input.name;
        const std::optional<double> once = secondsOf(few, target.target);
        ASSERT_TRUE(once) << input.name << ", " << target.name;
        if (*once < kShortest) continue;
        // A busy machine disturbs one measurement, not three.
        double ratio = kMost;
        for (int attempt = 0; attempt < 3 && ratio >= kMost; ++attempt) {
            const std::optional<double> all = secondsOf(many, target.target);
            ASSERT_TRUE(all) << input.name << ", " << target.name;
            ratio = *all / *secondsOf(few, target.target);
        }
        EXPECT_LT(ratio, kMost) << input.name << ", " << target.name << ", " << few.size()
                                << " words";
        ++measured;
    }
    EXPECT_GT(measured, 0u);
}

}  // namespace
}  // namespace coopvk::test
