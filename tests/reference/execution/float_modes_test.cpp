// SPDX-License-Identifier: Apache-2.0
//
// Modes of rounding and flushing, for each width apart (Vulkan, "Precision and Operation of SPIR-V
// Instructions"; SPIR-V, "Execution Mode"): a width's modes change no result of another width. The
// results are computed here, in more bits, and rounded once.
#include <gtest/gtest.h>

#include "more_bits.hpp"
#include "shader_text.hpp"

namespace coopvk::reference::test::float_modes_test {
namespace {

// Operands: normal numbers, so that only results may be denormal.
struct Case {
    double a, b, c;
};
constexpr Case kCases[] = {
    {1.0, 3.0, 0.7},          {-1.1, 0.3, 1e-3},
    {2.7, -7.1, 19.3},        {1.0009765625, 1.0009765625, 0.00048828125},
    {1e-4, 0.001, 1e-4},       // a denormal half
    {-7e-5, 0.37, 1e-4},       // the same
    {1.4e-38, 0.3, 2e-38},     // a denormal float
    {2.5e-308, 0.11, 3e-308},  // a denormal double
};
constexpr uint32_t kCount = std::size(kCases);
constexpr uint32_t kOutputs = 40;

struct Operation {
    const char* code;  // from %a, %b and %c of type TYPE to %r
    Quad (*result)(Quad a, Quad b, Quad c);
};
const Operation kOperations[] = {
    {"%r = OpFAdd %TYPE %a %b\n", [](Quad a, Quad b, Quad) { return sumOf(a, b); }},
    {"%r = OpFSub %TYPE %a %b\n", [](Quad a, Quad b, Quad) { return sumOf(a, -b); }},
    {"%r = OpFMul %TYPE %a %b\n", [](Quad a, Quad b, Quad) { return a * b; }},
    {"%r = OpFDiv %TYPE %a %b\n", [](Quad a, Quad b, Quad) { return a / b; }},
    {"%r = OpExtInst %TYPE %glsl Fma %a %b %c\n",
     [](Quad a, Quad b, Quad c) { return sumOf(a * b, c); }},
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

// Words that a value of a type needs.
struct Text {
    std::string body;
    uint32_t next = 0, outputs = 0;

    std::string id() { return "%t" + std::to_string(next++); }
    std::string word(uint32_t constant) { return "%k" + std::to_string(constant); }
    std::string input(uint32_t number) {
        const std::string index = id(), at = id(), loaded = id();
        body += index + " = OpIAdd %u32 %base_in " + word(number) + "\n" + at +
                " = OpAccessChain %p_word %in %u_0 " + index + "\n" + loaded + " = OpLoad %u32 " +
                at + "\n";
        return loaded;
    }
    void output(const std::string& value) {
        const std::string index = id(), at = id();
        body += index + " = OpIAdd %u32 %base_out " + word(outputs++) + "\n" + at +
                " = OpAccessChain %p_word %out %u_0 " + index + "\nOpStore " + at + " " + value +
                "\n";
    }
    // A float from the words of the input from `number` on.
    std::string load(uint32_t width, uint32_t number) {
        const std::string low = input(number), bits = id(), value = id();
        if (width == 16) body += bits + " = OpUConvert %u16 " + low + "\n";
        if (width == 64) {
            const std::string high = input(number + 1);
            body += bits + " = OpCompositeConstruct %v2u32 " + low + " " + high + "\n";
        }
        body += value + " = OpBitcast %f" + std::to_string(width) + " " +
                (width == 32 ? low : bits) + "\n";
        return value;
    }
    void store(uint32_t width, const std::string& value) {
        const std::string bits = id(), low = id(), high = id();
        if (width == 32) {
            body += bits + " = OpBitcast %u32 " + value + "\n";
            return output(bits);
        }
        if (width == 16) {
            body += bits + " = OpBitcast %u16 " + value + "\n" + low + " = OpUConvert %u32 " +
                    bits + "\n";
            return output(low);
        }
        body += bits + " = OpBitcast %v2u32 " + value + "\n" + low + " = OpCompositeExtract %u32 " +
                bits + " 0\n" + high + " = OpCompositeExtract %u32 " + bits + " 1\n";
        output(low);
        output(high);
    }
};

using Modes = std::array<Mode, 3>;

std::string modesText(const Modes& modes) {
    std::string text;
    for (uint32_t f = 0; f < 3; ++f) {
        const std::string width = " " + std::to_string(kFormats[f].width) + "\n";
        text += std::string("OpExecutionMode %main RoundingModeRT") +
                (modes[f].towardZero ? "Z" : "E") + width;
        text += std::string("OpExecutionMode %main Denorm") +
                (modes[f].flushes ? "FlushToZero" : "Preserve") + width;
    }
    return text;
}

// What an operation must give, with the words that store() writes.
struct Expected {
    std::string name;
    uint32_t width;
    std::function<uint64_t(const std::array<uint64_t, 9>& operands)> bits;
};

class FloatModes {
 public:
    explicit FloatModes(const Modes& modes) : modes_(modes) {
        text_.body = "%base_in = OpIMul %u32 %i %k12\n%base_out = OpIMul %u32 %i %k40\n";
        for (uint32_t f = 0, number = 0; f < 3; ++f)
            for (uint32_t operand = 0; operand < 3; ++operand, number += f == 2 ? 2 : 1)
                operands_[f * 3 + operand] = text_.load(kFormats[f].width, number);
        for (uint32_t f = 0; f < 3; ++f) addOperations(f);
        addConversion(2, 1, "%f32"), addConversion(2, 0, "%f16"), addConversion(1, 0, "%f16");
    }

    void check() {
        ShaderText shaderText;
        shaderText.localSize = kCount;
        for (uint32_t k = 0; k <= kOutputs; ++k)
            shaderText.declarations +=
                "%k" + std::to_string(k) + " = OpConstant %u32 " + std::to_string(k) + "\n";
        shaderText.capabilities =
            "OpCapability RoundingModeRTE\nOpCapability RoundingModeRTZ\n"
            "OpCapability DenormPreserve\nOpCapability DenormFlushToZero\n";
        shaderText.body = text_.body;
        std::string module = shader(shaderText);
        module.insert(module.find("OpDecorate"), modesText(modes_));
        Execution run;
        run.lanes = 4;
        run.buffers[1].resize(size_t{kCount} * kOutputs);
        std::vector<std::array<uint64_t, 9>> operands(kCount);
        for (uint32_t n = 0; n < kCount; ++n) fill(kCases[n], operands[n], run.buffers[0]);
        execute(run, module);
        ASSERT_EQ(run.error, "");
        for (uint32_t n = 0; n < kCount; ++n) compare(n, operands[n], run.buffers[1]);
    }

 private:
    void addOperations(uint32_t f) {
        const std::string type = "f" + std::to_string(kFormats[f].width);
        for (const Operation& operation : kOperations) {
            std::string code = replaced(operation.code, "TYPE", type);
            const std::string result = text_.id();
            code = replaced(code, "%r ", result + " ");
            for (uint32_t operand = 0; operand < 3; ++operand)
                code = replaced(replaced(code, std::string(" %") + "abc"[operand] + "\n",
                                         " " + operands_[f * 3 + operand] + "\n"),
                                std::string(" %") + "abc"[operand] + " ",
                                " " + operands_[f * 3 + operand] + " ");
            text_.body += code;
            text_.store(kFormats[f].width, result);
            expected_.push_back({code, kFormats[f].width, [=, this](const auto& bits) {
                                     const auto at = [&](uint32_t n) {
                                         return valueOf(bits[f * 3 + n], kFormats[f]);
                                     };
                                     return rounded(operation.result(at(0), at(1), at(2)),
                                                    kFormats[f], modes_[f]);
                                 }});
        }
        const std::string negated = text_.id();
        text_.body += negated + " = OpFNegate %" + type + " " + operands_[f * 3] + "\n";
        text_.store(kFormats[f].width, negated);
        expected_.push_back({"OpFNegate", kFormats[f].width, [=](const auto& bits) {
                                 return bits[f * 3] ^ uint64_t { 1 } << (kFormats[f].width - 1);
                             }});
    }
    void addConversion(uint32_t from, uint32_t to, const std::string& type) {
        const std::string result = text_.id();
        text_.body += result + " = OpFConvert " + type + " " + operands_[from * 3 + 1] + "\n";
        text_.store(kFormats[to].width, result);
        expected_.push_back(
            {"OpFConvert to " + type, kFormats[to].width, [=, this](const auto& bits) {
                 return rounded(valueOf(bits[from * 3 + 1], kFormats[from]), kFormats[to],
                                modes_[to]);
             }});
    }
    // The numbers of a case in each format, as far as these are normal there.
    static void fill(const Case& of, std::array<uint64_t, 9>& bits, std::vector<uint32_t>& words) {
        const double numbers[] = {of.a, of.b, of.c};
        for (uint32_t f = 0; f < 3; ++f) {
            for (uint32_t n = 0; n < 3; ++n) {
                const double least = std::ldexp(1.0, 2 - kFormats[f].bias);
                const double number =
                    std::fabs(numbers[n]) < least ? std::copysign(least, numbers[n]) : numbers[n];
                uint64_t& to = bits[f * 3 + n];
                to = rounded(number, kFormats[f], {});
                words.push_back(uint32_t(to));
                if (f == 2) words.push_back(uint32_t(to >> 32));
            }
        }
    }
    void compare(uint32_t n, const std::array<uint64_t, 9>& operands,
                 const std::vector<uint32_t>& words) {
        size_t at = size_t{n} * kOutputs;
        for (const Expected& expected : expected_) {
            uint64_t bits = words[at++];
            if (expected.width == 64) bits |= uint64_t{words[at++]} << 32;
            EXPECT_EQ(bits, expected.bits(operands))
                << "case " << n << ": " << expected.name << modesText(modes_);
        }
    }

    const Modes modes_;
    Text text_;
    std::array<std::string, 9> operands_;
    std::vector<Expected> expected_;
};

TEST(ReferenceFloatModes, OfEachWidth) {
    for (uint32_t bits = 0; bits < 64; ++bits) {
        Modes modes;
        for (uint32_t f = 0; f < 3; ++f)
            modes[f] = {(bits >> f & 1) != 0, (bits >> (3 + f) & 1) != 0};
        FloatModes(modes).check();
    }
}

// What flushes, of operands that are denormal: signs stay.
TEST(ReferenceFloatModes, NegationAndConversionsFlush) {
    for (const bool flushes : {false, true}) {
        Modes modes{};
        for (Mode& mode : modes) mode.flushes = flushes;
        ShaderText text;
        text.localSize = 1;
        text.capabilities =
            "OpCapability RoundingModeRTE\nOpCapability DenormPreserve\n"
            "OpCapability DenormFlushToZero\n";
        text.body = loadWord("%single", "%u_0") + loadWord("%half", "%u_1") +
                    "%f = OpBitcast %f32 %single\n%n = OpFNegate %f32 %f\n"
                    "%nb = OpBitcast %u32 %n\n%h16 = OpUConvert %u16 %half\n"
                    "%h = OpBitcast %f16 %h16\n%hn = OpFNegate %f16 %h\n"
                    "%hb = OpBitcast %u16 %hn\n%hw = OpUConvert %u32 %hb\n"
                    "%small = OpFConvert %f16 %f_tiny\n%sb = OpBitcast %u16 %small\n"
                    "%sw = OpUConvert %u32 %sb\n%un = OpExtInst %v2f32 %glsl UnpackHalf2x16 %half\n"
                    "%u0 = OpCompositeExtract %f32 %un 0\n%ub = OpBitcast %u32 %u0\n" +
                    storeWord("%u_0", "%nb") + storeWord("%u_1", "%hw") + storeWord("%u_2", "%sw") +
                    storeWord("%u_3", "%ub");
        text.declarations = "%f_tiny = OpConstant %f32 1e-6\n";
        std::string module = shader(text);
        module.insert(module.find("OpDecorate"), modesText(modes));
        Execution run;
        run.buffers[0] = {0x80000123, 0x0040};
        run.buffers[1].resize(4);
        execute(run, module);
        ASSERT_EQ(run.error, "");
        // 1e-6 is 16.78 * 2^-24; 0x40 is 2^-18.
        const std::vector<uint32_t> kept = {0x123, 0x8040, 17, bitsOf(0x1p-18f)};
        const std::vector<uint32_t> flushed = {0, 0x8000, 0, 0};
        EXPECT_EQ(run.buffers[1], flushes ? flushed : kept);
    }
}

// GLSL.std.450's packing "does not count as conversion" (VK_KHR_shader_float_controls, issue 5).
TEST(ReferenceFloatModes, PackingRoundsToNearest) {
    Modes modes{};
    for (Mode& mode : modes) mode.towardZero = true;
    ShaderText text;
    text.localSize = 1;
    text.capabilities = "OpCapability RoundingModeRTZ\nOpCapability DenormPreserve\n";
    text.declarations =
        "%f_most = OpConstant %f32 0.999\n%all4 = OpConstantComposite %v4f32 %f_most %f_most "
        "%f_most %f_most\n%all2 = OpConstantComposite %v2f32 %f_most %f_most\n";
    text.body =
        "%x = OpExtInst %u32 %glsl PackUnorm4x8 %all4\n"
        "%y = OpExtInst %u32 %glsl PackHalf2x16 %all2\n" +
        storeWord("%u_0", "%x") + storeWord("%u_1", "%y");
    std::string module = shader(text);
    module.insert(module.find("OpDecorate"), modesText(modes));
    Execution run;
    run.buffers[0].resize(1);
    run.buffers[1].resize(2);
    execute(run, module);
    ASSERT_EQ(run.error, "");
    // 254.745 of 255; 0.999 is 2045.95 of 2048.
    EXPECT_EQ(run.buffers[1], (std::vector<uint32_t>{0xFFFFFFFF, 0x3BFE3BFE}));
}

}  // namespace
}  // namespace coopvk::reference::test::float_modes_test
