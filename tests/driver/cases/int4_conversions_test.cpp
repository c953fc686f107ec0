// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers to and from every other numeric type, as scalars and as vectors of four, by every
// conversion instruction that SPIR-V has between the two.
#include <gtest/gtest.h>

#include "harness/assembly.hpp"
#include "harness/component.hpp"
#include "harness/compute.hpp"
#include "harness/random.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::int4_conversions_test {
namespace {

struct Step {
    bool toWide;        // or into four bits
    bool signedNibble;  // the 4-bit type
    bool signedOp;      // OpSConvert, OpConvertSToF or OpConvertFToS
};

// The types that each instruction's definition allows: zero extension and OpConvertFToU have
// unsigned results.
std::vector<Step> stepsOf(const ComponentInfo& wide) {
    std::vector<Step> steps;
    for (const bool toWide : {true, false}) {
        for (const bool signedNibble : {true, false}) {
            steps.push_back({toWide, signedNibble, true});
            const bool toSigned = toWide ? wide.isSigned() : signedNibble;
            if (!toSigned) steps.push_back({toWide, signedNibble, false});
        }
    }
    return steps;
}

constexpr uint32_t kVector = 4, kResults = kVector + 1;  // the components of a vector, one scalar

// The nibbles that a step converts: the four lowest, and the sixth alone.
constexpr uint32_t kNibbles[kResults] = {0, 1, 2, 3, 5};

// Writes a module in which invocation i does every step with the word in[i], and stores two words
// for each result.
class Writer {
 public:
    explicit Writer(const ComponentInfo& wide) : wide_(wide), type_(wide.spirv) {}

    Assembly module() {
        a_.buffers = {{"in", "u32", 4}, {"out", "u32x2", 8}};
        a_.capabilities = {"Int4TypeINTEL", "Vector16"};
        a_.extensions = {"SPV_INTEL_int4"};
        a_.declarations =
            "%s4 = OpTypeInt 4 1\n%u4 = OpTypeInt 4 0\n%s4x4 = OpTypeVector %s4 4\n"
            "%u4x4 = OpTypeVector %u4 4\n%s4x8 = OpTypeVector %s4 8\n%u4x8 = OpTypeVector %u4 8\n";
        if (wide_.isFloat()) declareFactor();
        const std::vector<Step> steps = stepsOf(wide_);
        line("%l = OpLoad %u32 %lane\n%gp = OpAccessChain %in_u32 %group %c_0");
        line("%g = OpLoad %u32 %gp\n%gw = OpIMul %u32 %g %workgroup_width");
        line("%i = OpIAdd %u32 %gw %l\n%px = OpAccessChain %sb_u32 %in %c_0 %i");
        line("%x = OpLoad %u32 %px");
        line("%first = OpIMul %u32 %i " + constant(static_cast<uint32_t>(steps.size()) * kResults));
        for (const Step& step : steps) {
            prefix_ = "%t" + std::to_string(number_++);
            if (step.toWide) {
                widen(step);
            } else {
                narrow(step);
            }
        }
        return a_;
    }

 private:
    void line(const std::string& text) { a_.body += text + "\n"; }
    std::string id(const std::string& name, uint32_t n) {
        return prefix_ + "_" + name + std::to_string(n);
    }

    // 17/16: its product with a 4-bit number is exact in all floats, and rounds toward zero to that
    // number.
    void declareFactor() {
        const std::string factor = " = OpConstant " + type_ + " 1.0625\n";
        a_.declarations += "%factor" + factor + "%factors = OpConstantComposite " + type_ +
                           "x4 %factor %factor %factor %factor\n";
    }

    std::string nibbleType(const Step& step) { return step.signedNibble ? "%s4" : "%u4"; }

    std::string opcode(const Step& step) {
        if (!wide_.isFloat()) return step.signedOp ? "OpSConvert " : "OpUConvert ";
        if (step.toWide) return step.signedOp ? "OpConvertSToF " : "OpConvertUToF ";
        return step.signedOp ? "OpConvertFToS " : "OpConvertFToU ";
    }

    // Both conversions of a step, from two values to two.
    void convert(const Step& step, const std::string& to, const std::string& vector,
                 const std::string& scalar) {
        line(id("v", 0) + " = " + opcode(step) + to + "x4 " + vector);
        line(id("s", 0) + " = " + opcode(step) + to + " " + scalar);
    }

    void widen(const Step& step) {
        const std::string type = nibbleType(step);
        line(id("all", 0) + " = OpBitcast " + type + "x8 %x");
        line(id("four", 0) + " = OpVectorShuffle " + type + "x4 " + id("all", 0) + " " +
             id("all", 0) + " 0 1 2 3");
        line(id("one", 0) + " = OpCompositeExtract " + type + " " + id("all", 0) + " 5");
        convert(step, type_, id("four", 0), id("one", 0));
        for (uint32_t c = 0; c < kVector; ++c) {
            line(id("e", c) + " = OpCompositeExtract " + type_ + " " + id("v", 0) + " " +
                 std::to_string(c));
            storeWide(id("e", c), c);
        }
        storeWide(id("s", 0), kVector);
    }

    // The bits of a wide value, zeros above them.
    void storeWide(const std::string& value, uint32_t n) {
        const std::string bits = id("bits", n);
        const std::string unsignedType = "%u" + std::to_string(wide_.bits());
        if (wide_.bits() == 64) {
            line(bits + " = OpBitcast %u32x2 " + value);
            return store(bits, n);
        }
        std::string word = value;
        if (wide_.isFloat()) {
            line(id("cast", n) + " = OpBitcast " + unsignedType + " " + value);
            word = id("cast", n);
        }
        if (wide_.bits() < 32) {
            line(id("word", n) + " = OpUConvert %u32 " + word);
        } else {
            line(id("word", n) + " = OpBitcast %u32 " + word);
        }
        pair(id("word", n), n);
    }

    // A wide value from nibble n of x: all its bits, or for floats 17/16 of the number.
    std::string wideFrom(const Step& step, uint32_t n) {
        const std::string shifted = id("x", n), value = id("w", n);
        line(shifted + " = OpShiftRightLogical %u32 %x " + constant(4 * kNibbles[n]));
        if (wide_.isFloat()) {
            line(id("n", n) + (step.signedOp ? " = OpBitFieldSExtract" : " = OpBitFieldUExtract") +
                 " %u32 " + shifted + " %c_0 %c_4");
            line(id("f", n) + (step.signedOp ? " = OpConvertSToF " : " = OpConvertUToF ") + type_ +
                 " " + id("n", n));
            line(value + " = OpFMul " + type_ + " " + id("f", n) + " %factor");
        } else if (wide_.bits() == 64) {
            line(id("not", n) + " = OpNot %u32 " + shifted);
            line(id("p", n) + " = OpCompositeConstruct %u32x2 " + shifted + " " + id("not", n));
            line(value + " = OpBitcast " + type_ + " " + id("p", n));
        } else {
            const char* how = wide_.bits() == 32 ? " = OpBitcast " : " = OpSConvert ";
            line(value + how + type_ + " " + shifted);
        }
        return value;
    }

    void narrow(const Step& step) {
        std::string vector = id("in", 0) + " = OpCompositeConstruct " + type_ + "x4";
        for (uint32_t c = 0; c < kVector; ++c) vector += " " + wideFrom(step, c);
        line(vector);
        convert(step, nibbleType(step), id("in", 0), wideFrom(step, kVector));
        for (uint32_t c = 0; c < kVector; ++c) {
            line(id("e", c) + " = OpCompositeExtract " + nibbleType(step) + " " + id("v", 0) + " " +
                 std::to_string(c));
            line(id("word", c) + " = OpUConvert %u32 " + id("e", c));
            pair(id("word", c), c);
        }
        line(id("word", kVector) + " = OpUConvert %u32 " + id("s", 0));
        pair(id("word", kVector), kVector);
    }

    void pair(const std::string& word, uint32_t n) {
        line(id("pair", n) + " = OpCompositeConstruct %u32x2 " + word + " %c_0");
        store(id("pair", n), n);
    }

    void store(const std::string& pair, uint32_t n) {
        line(id("at", n) + " = OpIAdd %u32 %first " + constant(results_++));
        line(id("to", n) + " = OpAccessChain %sb_u32x2 %out %c_0 " + id("at", n));
        line("OpStore " + id("to", n) + " " + pair);
    }

    const ComponentInfo& wide_;
    const std::string type_;
    Assembly a_;
    std::string prefix_;
    uint32_t number_ = 0, results_ = 0;
};

class Int4Conversions : public testing::TestWithParam<Component> {};

TEST_P(Int4Conversions, BothWays) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const ComponentInfo& wide = info(GetParam());
    COOPVK_REQUIRE(GetParam());
    const std::vector<Step> steps = stepsOf(wide);
    // As many invocations as there are values, so that each value is at each position that matters.
    Dispatch dispatch;
    dispatch.groups = {4, 1, 1};
    const uint32_t invocations = 4 * Context::get().subgroupSize;
    ASSERT_GE(invocations, 16u);
    Rng rng(wide.name);
    dispatch.buffers = {{}, rng.bytes(size_t{invocations} * steps.size() * kResults * 8)};
    for (uint32_t i = 0; i < invocations; ++i) {
        uint32_t x = static_cast<uint32_t>(rng.next()) & 0xFF0F0000u;
        for (const uint32_t n : kNibbles) x |= (i + n * 5) % 16 << 4 * n;
        const auto bytes = std::as_bytes(std::span(&x, 1));
        dispatch.buffers[0].insert(dispatch.buffers[0].end(), bytes.begin(), bytes.end());
    }
    expectAsReference(assemble(Writer(wide).module(), Checked::kNo), dispatch);
}

INSTANTIATE_TEST_SUITE_P(All, Int4Conversions,
                         testing::Values(Component::kS8, Component::kU8, Component::kS16,
                                         Component::kU16, Component::kS32, Component::kU32,
                                         Component::kS64, Component::kU64, Component::kF16,
                                         Component::kF32, Component::kF64),
                         [](const testing::TestParamInfo<Component>& type) {
                             return std::string(name(type.param));
                         });

}  // namespace
}  // namespace coopvk::test::int4_conversions_test
