// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixReduceNV: rows, columns, all elements, or two by two, by functions that add or
// choose, in any order (SPV_NV_cooperative_matrix2).
#include <gtest/gtest.h>

#include <format>

#include "../test_part.hpp"
#include "matrices.hpp"
#include "sums.hpp"

namespace coopvk::oracle::reductions_test {
namespace {

using reference::Choice;

enum class Combine { kAdd, kLeast, kMost };

struct Case {
    const Format& format;
    std::string mode;  // the operand Reduce
    Combine combine;
    uint32_t rows, columns, resultRows, resultColumns, scope;
    Choice sums;

    std::string text() const {
        return std::format("{}, {}, function {}, {} x {} to {} x {}, scope {}, sums {}",
                           format.name, mode, int(combine), rows, columns, resultRows,
                           resultColumns, scope, int(sums));
    }
};

Id combineFunction(Module& module, const Case& c) {
    const Id type = module.scalar(c.format), x = module.name(), y = module.name(),
             z = module.name();
    const char* const choices[] = {c.format.isFloat()    ? "FMin"
                                   : c.format.isSigned() ? "SMin"
                                                         : "UMin",
                                   c.format.isFloat()    ? "FMax"
                                   : c.format.isSigned() ? "SMax"
                                                         : "UMax"};
    const std::string operation =
        c.combine == Combine::kAdd
            ? (c.format.isFloat() ? "OpFAdd " : "OpIAdd ") + type
            : std::format("OpExtInst {} %glsl {}", type, choices[c.combine == Combine::kMost]);
    return module.function(type, {type, type},
                           std::format("{0} = OpFunctionParameter {3}\n{1} = OpFunctionParameter "
                                       "{3}\n{4} = OpLabel\n{2} = {5} {0} {1}\n"
                                       "OpReturnValue {2}\n",
                                       x, y, z, type, module.name(), operation));
}

Module moduleOf(const Case& c) {
    Module module(8);
    module.capability("CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix");
    module.capability("CooperativeMatrixReductionsNV", "SPV_NV_cooperative_matrix2");
    const Id word = module.scalar(kU32);
    const auto type = [&](uint32_t rows, uint32_t columns) {
        return module.type(std::format("OpTypeCooperativeMatrixKHR {} {} {} {} {}",
                                       module.scalar(c.format), module.u32(c.scope),
                                       module.u32(rows), module.u32(columns), module.u32(2)));
    };
    const auto stride = [&](uint32_t columns) {
        return module.u32(columns * uint32_t(c.format.bits) / 32);
    };
    const Id function = combineFunction(module, c);
    const Id whole = module.value(
        std::format("OpCooperativeMatrixLoadKHR {} {} {} {}", type(c.rows, c.columns),
                    module.element(0, word, 4, module.u32(0)), module.u32(0), stride(c.columns)));
    const Id result =
        module.value(std::format("OpCooperativeMatrixReduceNV {} {} {} {}",
                                 type(c.resultRows, c.resultColumns), whole, c.mode, function));
    module.instruction(std::format("OpCooperativeMatrixStoreKHR {} {} {} {}",
                                   module.element(1, word, 4, module.u32(0)), result, module.u32(0),
                                   stride(c.resultColumns)));
    return module;
}

// The elements that become element (row, column) of the result.
std::vector<Real> reduced(const Case& c, const std::vector<uint64_t>& elements, uint32_t row,
                          uint32_t column) {
    std::vector<Real> parts;
    for (uint32_t r = 0; r < c.rows; ++r)
        for (uint32_t k = 0; k < c.columns; ++k) {
            const bool isIn = c.mode == "2x2"      ? r / 2 == row && k / 2 == column
                              : c.mode == "Row"    ? r == row
                              : c.mode == "Column" ? k == column
                                                   : true;
            if (isIn) parts.push_back(valueOf(c.format, elements[r * c.columns + k]));
        }
    return parts;
}

Real chosen(const std::vector<Real>& parts, bool most) {
    Real result = parts[0];
    for (const Real& part : parts)
        if (most ? result < part : part < result) result = part;
    return result;
}

bool areAlike(const Real& a, const Real& b) { return areSame(a, b) || (a.isZero() && b.isZero()); }

class Reductions : public testing::Test {
 protected:
    Random random{97};
    std::vector<uint64_t> elements;
    reference::test::Execution execution;
    reference::Intervals intervals;

    Case anyCase(std::span<const Format* const> formats) {
        const char* const modes[] = {"Row", "Column", "Row|Column", "2x2"};
        const uint32_t rows = 2 * uint32_t(1 + random() % 5), columns = random() % 2 == 0 ? 8 : 16;
        Case c = {*formats[random() % formats.size()],
                  modes[random() % std::size(modes)],
                  Combine(random() % 3),
                  rows,
                  columns,
                  rows,
                  columns,
                  2 + uint32_t(random() % 2),
                  Choice(random() % 3)};
        if (c.mode == "2x2") {
            c.resultRows = rows / 2;
            c.resultColumns = columns / 2;
        }
        if (c.mode.starts_with("Row")) c.resultColumns = 4 * uint32_t(1 + random() % 4);
        if (c.mode.ends_with("Column")) c.resultRows = uint32_t(1 + random() % 9);
        return c;
    }

    // What the device computes of numbers of a kind, which have no NaN where they are compared.
    void compute(const Case& c, bool withIntervals) {
        const Data data = kAllData[random() % std::size(kAllData)];
        elements = oracle::elements(c.format, data, size_t{c.rows} * c.columns, random);
        for (uint64_t& element : elements)
            if (c.combine != Combine::kAdd && valueOf(c.format, element).isNan()) element = 0;
        execution = {};
        execution.lanes = 8;
        execution.settings.sums = c.sums;
        execution.buffers[0] = packed(c.format, elements);
        const size_t bits = size_t{c.resultRows} * c.resultColumns * size_t(c.format.bits);
        execution.buffers[1].resize((bits + 31) / 32);
        if (withIntervals) {
            execution.settings.intervals = &intervals;
            for (const auto& [binding, words] : execution.buffers)
                execution.deviations[binding].resize(words.size() * 4);
        }
        run(execution, moduleOf(c));
    }
    // visit(value, what it is of) for each element of the result.
    template <typename Visit>
    void each(const Case& c, Visit visit) {
        for (uint32_t row = 0; row < c.resultRows; ++row)
            for (uint32_t column = 0; column < c.resultColumns && !HasFailure(); ++column) {
                SCOPED_TRACE(std::format("{}, element ({}, {})", c.text(), row, column));
                const size_t i = size_t{row} * c.resultColumns + column;
                visit(i, valueOf(c.format, unpacked(c.format, execution.buffers[1], i)),
                      reduced(c, elements, row, column));
            }
    }
};

const Format* const kFormats[] = {&kF16, &kF32, &kF64, &kS8,  &kU8, &kS16,
                                  &kU16, &kS32, &kU32, &kS64, &kU64};
const Format* const kFloats[] = {&kF16, &kF32, &kF64};

// Sums of integers keep the low bits.
TEST_F(Reductions, AreWithinAnyOrder) {
    const int count = test::runsAll() ? 20000 : 300;
    for (int n = 0; n < count && !HasFailure(); ++n) {
        const Case c = anyCase(kFormats);
        compute(c, false);
        each(c, [&](size_t i, const Real& value, const std::vector<Real>& parts) {
            if (c.combine != Combine::kAdd) {
                EXPECT_TRUE(areAlike(value, chosen(parts, c.combine == Combine::kMost)))
                    << textOf(value);
            } else if (c.format.isFloat()) {
                EXPECT_TRUE(permitted(c.format, {{}, parts}).contains(value)) << textOf(value);
            } else {
                const Real sum = exactSum({{}, parts}), modulus = Real(1).scaled(c.format.bits);
                const Real whole = sum.scaled(-c.format.bits).whole(Direction::kDown);
                EXPECT_EQ(unpacked(c.format, execution.buffers[1], i),
                          (sum - whole * modulus).magnitude());
            }
        });
    }
}

TEST_F(Reductions, IntervalsHoldAllOrders) {
    const int count = test::runsAll() ? 5000 : 80;
    for (int n = 0; n < count && !HasFailure(); ++n) {
        const Case c = anyCase(kFloats);
        compute(c, true);
        each(c, [&](size_t i, const Real& value, const std::vector<Real>& parts) {
            const auto interval = reference::intervalOf(
                execution.deviations[1][i * size_t(c.format.bits) / 8], numberOf(c.format),
                unpacked(c.format, execution.buffers[1], i));
            EXPECT_TRUE(contains(interval, value)) << textOf(value) << " " << textOf(interval);
            for (int order = 0; order < 6 && c.combine == Combine::kAdd; ++order) {
                const Real other = sampled(c.format, {{}, parts}, random);
                EXPECT_TRUE(contains(interval, other)) << textOf(other) << " " << textOf(interval);
            }
            // Of zeros of both signs, either may be chosen.
            const bool isFree = c.combine == Combine::kAdd || !value.isFinite() || value.isZero();
            EXPECT_TRUE(isFree || interval.low == interval.high)
                << textOf(value) << " " << textOf(interval);
        });
    }
}

}  // namespace
}  // namespace coopvk::oracle::reductions_test
