// SPDX-License-Identifier: Apache-2.0
//
// Numerics::kSame: inputs, rewritten for many devices and executed on the reference device with
// numbers whose sums round. All must write the same bits. With Numerics::kFast some do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "checking.hpp"
#include "forms.hpp"
#include "memory.hpp"
#include "side.hpp"

namespace coopvk::test {

namespace {

using rewrite::DeviceTraits;
using rewrite::Numerics;
using Contents = std::vector<std::vector<std::byte>>;

// A device of a class, changed, and subgroups of it.
struct Place {
    std::string_view name;
    uint32_t lanes;
    size_t deviceClass;
    void (*change)(DeviceTraits&, rewrite::ExtensionSet&);
};
constexpr Place kPlaces[] = {
    {"few registers", 32, 0, nullptr},
    {"CPU, 4 lanes", 4, 2, nullptr},
    {"CPU, 16 lanes", 16, 2, nullptr},
    {"scalar registers, 64 lanes", 64, 1, nullptr},
    {"many registers", 32, 3, nullptr},
    {"few registers, 128 lanes", 128, 0, nullptr},
    {"GPU of another class, 8 lanes", 8, 4, nullptr},
    {"without matrices", 32, 4,
     [](DeviceTraits& d, rewrite::ExtensionSet&) { d.nativeShapes = {}; }},
    {"its own matrices", 32, 0,
     [](DeviceTraits&, rewrite::ExtensionSet& emulated) {
         emulated.erase(rewrite::Extension::kKhrCooperativeMatrix);
     }},
};

// What the input's results depend on, besides the arithmetic.
struct Exception {
    std::string_view input, why;
};
constexpr Exception kExceptions[] = {
    {"composite_workgroup_size", "each subgroup stores to a place of its own"},
    {"divided_workgroup_size", "each subgroup stores to a place of its own"},
    {"replicated_workgroup_size", "each subgroup stores to a place of its own"},
    {"split_barrier", "each subgroup stores to a place of its own"},
    {"workgroup_reduction_loop", "reductions combine first what a lane holds"},
};

bool isLeftOut(const Input& input) {
    return hasOneForm(input) || isUnchecked(input) || input.isSubgroup || input.heap != 0 ||
           std::ranges::count(kExceptions, input.name, &Exception::input) != 0;
}

// Additions, multiplications and both at once, of floats, that drivers may contract or rearrange.
size_t contractible(std::span<const uint32_t> words) {
    constexpr uint32_t kGlsl = 0x4C534C47, kFma = 50;  // "GLSL"; GLSLstd450Fma
    std::set<uint32_t> fixed;
    size_t count = 0;
    uint32_t glsl = 0;
    for (size_t at = 5; at + 4 < words.size(); at += std::max(words[at] >> 16, 1u)) {
        const auto opcode = static_cast<spv::Op>(words[at] & 0xFFFF);
        const auto decoration = static_cast<spv::Decoration>(words[at + 2]);
        if (opcode == spv::Op::OpExtInstImport && words[at + 2] == kGlsl) glsl = words[at + 1];
        const bool rounds =
            opcode == spv::Op::OpFAdd || opcode == spv::Op::OpFSub || opcode == spv::Op::OpFMul ||
            opcode == spv::Op::OpVectorTimesScalar ||
            (opcode == spv::Op::OpExtInst && words[at + 3] == glsl && words[at + 4] == kFma);
        if (opcode == spv::Op::OpDecorate && (decoration == spv::Decoration::NoContraction ||
                                              decoration == spv::Decoration::FPFastMathMode))
            fixed.insert(words[at + 1]);
        if (rounds && !fixed.contains(words[at + 2])) ++count;
    }
    return count;
}

std::vector<check::SpecializationValue> valuesOf(const Input& input) {
    std::vector<check::SpecializationValue> values;
    for (const auto& [id, value] : input.specialization) values.push_back({id, value});
    return values;
}

// Numbers whose sums round, in the formats in which the input accesses them; nothing for atomic
// sums, whose order is open.
std::optional<check::Memory> memoryFor(const Input& input, const Words& words) {
    const std::vector<check::SpecializationValue> values = valuesOf(input);
    const check::Module module(words, values);
    check::MemoryChoice choice = optionsFor(input, 0).memory;
    choice.values = check::Values::kAny;
    choice.buffers.clear();
    check::Memory memory = check::makeMemory(module, choice);
    if (memory.interface.addsFloats) return std::nullopt;
    if (!check::hasSeveralFormats(memory)) return memory;
    const check::Side native = check::makeSide({words, "main", values, 32, false});
    if (native.program == nullptr) return std::nullopt;
    const check::Execution execution = check::execute(native, memory, {input.groups, 1, 1},
                                                      {.threads = 1, .steps = 1u << 20}, true);
    check::fillAgain(module, choice, execution.accessed, memory);
    return memory;
}

// What the input writes; nothing if it cannot be executed there, or if it races.
std::optional<Contents> run(const Input& input, const Words& words, const check::Memory& memory,
                            const Place& place, Numerics numerics) {
    const check::DeviceClass& deviceClass = check::deviceClasses()[place.deviceClass];
    if (place.lanes > deviceClass.maxLanes) return std::nullopt;
    rewrite::Target target;
    target.device = check::referenceTraits(deviceClass);
    if (place.change != nullptr) place.change(target.device, target.emulated);
    target.subgroupSize = place.lanes;
    target.numerics = numerics;
    const std::vector<check::SpecializationValue> values = valuesOf(input);
    std::vector<rewrite::SpecializationEntry> entries;
    for (const auto& value : values)
        entries.push_back({value.constantId, std::as_bytes(std::span(&value.bits, 1)).first(4)});
    const auto rewritten = rewrite::rewrite({.words = words, .specialization = entries}, target);
    if (!rewritten || rewritten->used.empty()) return std::nullopt;
    // The device's own matrices of floats stay.
    constexpr rewrite::ExtensionSet kMatrices = {rewrite::Extension::kKhrCooperativeMatrix};
    if (!rewrite::scan(rewritten->words, kMatrices).empty()) return std::nullopt;
    if (numerics == Numerics::kSame) {
        EXPECT_EQ(contractible(rewritten->words), 0u) << place.name;
    }
    const check::Side side = check::makeSide({rewritten->words, "main", {}, place.lanes, true});
    if (side.program == nullptr) {
        EXPECT_NE(side.code, reference::ErrorCode::kInvalidModule) << place.name << side.error;
        return std::nullopt;
    }

    reference::Settings settings;
    settings.subgroupSize = place.lanes;
    settings.threads = 1;
    settings.steps = uint64_t{1} << 20;
    const check::Execution result = check::execute(side, memory, {input.groups, 1, 1}, settings);
    if (!result.error.empty() || !result.reports.empty()) return std::nullopt;
    return result.contents;
}

// How many places give bits other than the first, of how many.
std::pair<size_t, size_t> differing(const Input& input, Numerics numerics, std::string& names) {
    const Words words = compiled(input, Variant::kFast);
    const std::optional<check::Memory> memory = memoryFor(input, words);
    if (!memory) return {0, 0};
    std::optional<Contents> first;
    size_t others = 0, count = 0;
    for (const Place& place : kPlaces) {
        const std::optional<Contents> contents = run(input, words, *memory, place, numerics);
        if (!contents) continue;
        ++count;
        if (!first) first = contents;
        if (*contents == *first) continue;
        ++others;
        names += std::string(place.name) + "; ";
    }
    return {others, count};
}

class NumericsOfInputs : public testing::TestWithParam<Input> {};

TEST_P(NumericsOfInputs, AreTheSameOnEveryDevice) {
    const Input& input = GetParam();
    if (isLeftOut(input)) return;
    std::string names;
    const auto [others, count] = differing(input, Numerics::kSame, names);
    EXPECT_EQ(others, 0u) << "of " << count << ": " << names;
}

// Else the tests above could not fail.
TEST(NumericsOfFastCode, DependOnTheDevice) {
    for (const Input& input : allInputs()) {
        if (input.name != "vector_do_while" && input.name != "long_vector_dot") continue;
        std::string names;
        const auto [others, count] = differing(input, Numerics::kFast, names);
        EXPECT_NE(others, 0u) << input.name << ", " << count << " devices";
    }
}

INSTANTIATE_TEST_SUITE_P(All, NumericsOfInputs, testing::ValuesIn(allInputs()),
                         [](const auto& input) { return input.param.name; });

}  // namespace
}  // namespace coopvk::test
