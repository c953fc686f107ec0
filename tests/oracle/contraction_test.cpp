// SPDX-License-Identifier: Apache-2.0
//
// A product and a sum that a device may compute as one, unless one of them is decorated
// NoContraction: "the two operations are rounded once" (SPIR-V, FPFastMathMode AllowContract).
#include <gtest/gtest.h>

#include <format>

#include "../test_part.hpp"
#include "matrices.hpp"
#include "sums.hpp"

namespace coopvk::oracle::contraction_test {
namespace {

struct Form {
    const char* opcode;
    bool productFirst, negatesProduct, negatesOther;
};
const Form kForms[] = {{"OpFAdd", true, false, false},
                       {"OpFAdd", false, false, false},
                       {"OpFSub", true, false, true},
                       {"OpFSub", false, true, false}};

struct Numbers {
    std::vector<uint64_t> all;
    Real at(const Format& format, size_t i) const { return valueOf(format, all[i]); }
};

class Contraction : public testing::Test {
 protected:
    Random random{89};

    // Invocation i: of its own number, that of the next one, and that of the one after the next.
    static Id compute(Module& module, const Format& format, const Form& form, const Id& a,
                      bool isDecorated) {
        const Id word = module.scalar(kU32), index = module.builtIn("GlobalInvocationId");
        const auto other = [&](uint32_t distance) {
            return module.load(
                0, format,
                module.value("OpBitwiseXor " + word + " " + index + " " + module.u32(distance)));
        };
        const Id type = module.scalar(format), b = other(1), c = other(2);
        const Id product = module.value("OpFMul " + type + " " + a + " " + b);
        const Id result = module.value(std::format("{} {} {} {}", form.opcode, type,
                                                   form.productFirst ? product : c,
                                                   form.productFirst ? c : product));
        if (isDecorated) module.decorate(result + " NoContraction");
        return result;
    }
    Numbers numbers(const Format& format) {
        Numbers result;
        const size_t count = test::runsAll() ? 400000 : 2048;
        for (size_t i = 0; i < count; ++i)
            result.all.push_back(elementOf(format, kAllData[i / 4 % std::size(kAllData)], random));
        // Products whose rounding is most of the sum.
        for (size_t i = 0; i + 3 < count; i += 8) {
            const Real exact = result.at(format, i) * result.at(format, i + 1);
            if (exact.isFinite()) result.all[i + 2] = bitsOf(format, -round(format, exact));
        }
        return result;
    }
    static Real expected(const Format& format, const Form& form, const Numbers& numbers, size_t i,
                         bool isOne) {
        Real product = numbers.at(format, i) * numbers.at(format, i ^ 1);
        if (!isOne) product = round(format, product);
        const Real c = numbers.at(format, i ^ 2);
        return round(format,
                     (form.negatesProduct ? -product : product) + (form.negatesOther ? -c : c));
    }
};

TEST_F(Contraction, ResultsFollowTheSetting) {
    size_t differ = 0;
    for (const Format* format : {&kF16, &kF32, &kF64})
        for (const Form& form : kForms)
            for (const bool isDecorated : {false, true})
                for (const bool contracts : {false, true}) {
                    const Numbers given = numbers(*format);
                    const auto results =
                        mapped(*format, *format, given.all,
                               [&](Module& module, const Id& a) {
                                   return compute(module, *format, form, a, isDecorated);
                               },
                               {.contracts = contracts});
                    const bool isOne = contracts && !isDecorated;
                    for (size_t i = 0; i < results.size(); ++i) {
                        const Real value = valueOf(*format, results[i]);
                        const Real wanted = expected(*format, form, given, i, isOne);
                        ASSERT_TRUE(areSame(value, wanted))
                            << format->name << " " << form.opcode << ": " << textOf(value)
                            << ", not " << textOf(wanted) << ", once " << isOne;
                        differ += !areSame(wanted, expected(*format, form, given, i, !isOne));
                    }
                }
    EXPECT_GE(differ, 3000u) << "in so many the other way gives another number";
}

// Where the device contracts, what is one and what is two are both permitted.
TEST_F(Contraction, IntervalsHoldBoth) {
    for (const Format* format : {&kF16, &kF32})
        for (const Form& form : kForms)
            for (const bool isDecorated : {false, true})
                for (const bool contracts : {false, true}) {
                    const Numbers given = numbers(*format);
                    Module module(64);
                    const Id index = module.builtIn("GlobalInvocationId");
                    const Id a = module.load(0, *format, index);
                    module.store(1, *format, index, compute(module, *format, form, a, isDecorated));
                    reference::Intervals intervals;
                    reference::test::Execution execution;
                    execution.lanes = 32;
                    execution.groups = {uint32_t(given.all.size() / 64), 1, 1};
                    execution.settings.intervals = &intervals;
                    execution.settings.contracts = contracts;
                    execution.buffers[0] = wordsOf(*format, given.all);
                    execution.buffers[1].resize(given.all.size());
                    for (const auto& [binding, words] : execution.buffers)
                        execution.deviations[binding].resize(words.size() * 4);
                    run(execution, module);
                    const bool isOne = contracts && !isDecorated;
                    for (size_t i = 0; i < given.all.size(); ++i) {
                        const auto interval =
                            reference::intervalOf(execution.deviations[1][i * 4], numberOf(*format),
                                                  execution.buffers[1][i]);
                        const Real apart = expected(*format, form, given, i, false);
                        const Real once = expected(*format, form, given, i, true);
                        ASSERT_TRUE(contains(interval, apart)) << textOf(apart);
                        ASSERT_TRUE(!isOne || contains(interval, once)) << textOf(once);
                        const bool isFree = contracts || !apart.isFinite();
                        ASSERT_TRUE(isFree || interval.low == interval.high) << textOf(apart);
                    }
                }
}

}  // namespace
}  // namespace coopvk::oracle::contraction_test
