// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include <cstdlib>
#include <spirv-tools/libspirv.hpp>

#include "format_faults.hpp"
#include "matrix2_faults.hpp"

namespace coopvk::test {
namespace {

constexpr spv_target_env kEnvironment = SPV_ENV_UNIVERSAL_1_6;

constexpr const char* kMultiply =
    R"((%\w+) = OpCooperativeMatrixMulAddKHR (%\w+) (%\w+) (%\w+) (%\w+))";

// Adds one to each element of the instruction's result that lane 3 has.
bool plantLaneBehind(Text& text, const std::string& pattern) {
    const auto product = text.find(pattern);
    if (!product) return false;
    const std::string result = product->str(1), type = product->str(2);
    const auto parts = text.find(type + R"( = OpTypeCooperativeMatrixKHR (%\w+))");
    if (!parts || (parts->str(1) != "%float" && parts->str(1) != "%half")) return false;
    const std::string component = parts->str(1);
    declareLane(text);
    text.declare("%fault_zero = OpConstant " + component + " 0");
    text.declare("%fault_one = OpConstant " + component + " 1");
    text.find(pattern);
    insertLaneTest(text);
    text.insertAfter("%fault_more = OpSelect " + component + " %fault_here %fault_one %fault_zero");
    text.insertAfter("%fault_matrix = OpCompositeConstruct " + type + " %fault_more");
    text.insertAfter("%fault_sum = OpFAdd " + type + " " + result + " %fault_matrix");
    text.rename(result, "%fault_sum");
    return true;
}

bool plantLane(Text& text) { return plantLaneBehind(text, kMultiply); }

// Swaps a layout operand.
bool swapLayout(Text& text, const std::string& pattern, size_t n) {
    auto access = text.find(pattern, n);
    if (!access) return false;
    const std::string before = access->str(1), layout = access->str(2), after = access->str(3);
    text.replace(before + "%fault_layout " + after);
    text.declare(std::string("%fault_layout = OpConstant %uint ") +
                 (layout == "%uint_0" ? "1" : "0"));
    return true;
}

bool plantLayout(Text& text) {
    return swapLayout(text, R"((%\w+ = OpCooperativeMatrixLoadKHR %\w+ %\w+ )(%\w+) (%\w+.*))", 1);
}

bool plantStoreLayout(Text& text) {
    return swapLayout(text, R"((OpCooperativeMatrixStoreKHR %\w+ %\w+ )(%\w+) (%\w+.*))", 0);
}

// Scales the result of an instruction, a matrix of f32.
bool plantScale(Text& text, const std::string& pattern, const char* factor) {
    const auto found = text.find(pattern);
    if (!found) return false;
    const std::string result = found->str(1), type = found->str(2);
    const auto parts = text.find(type + R"( = OpTypeCooperativeMatrixKHR %float )");
    if (!parts) return false;
    text.declare(std::string("%fault_factor = OpConstant %float ") + factor);
    text.find(pattern);
    text.insertAfter("%fault_scaled = OpMatrixTimesScalar " + type + " " + result +
                     " %fault_factor");
    text.rename(result, "%fault_scaled");
    return true;
}

// 1 + 2^-11, the error of a result that was rounded to f16; and four ulps of f32.
bool plantRounding(Text& text) { return plantScale(text, kMultiply, "1.00048828125"); }
bool plantUlps(Text& text) {
    return plantScale(text, R"((%\w+) = OpFAdd (%\w+) )", "1.000000476837158203125");
}

// Loads of the matrix whose lines are all the fourth of another one: with a stride of 0.
bool addFourth(Text& text, size_t load, const std::string& layout, const std::string& name) {
    const auto access = text.find(
        R"((%\w+) = OpCooperativeMatrixLoadKHR (%\w+) (%\w+) (%\w+) %uint_(\d+)(.*))", load);
    if (!access || access->str(4) != layout) return false;
    const std::string type = access->str(2), where = access->str(3), stride = access->str(5),
                      rest = access->str(6);
    const auto chain = text.find(where + R"( = OpAccessChain (%\w+) (%\w+) %uint_0 %uint_(\d+))");
    if (!chain) return false;
    const int index = std::stoi(chain->str(3)) + 3 * std::stoi(stride);
    const std::string pointer = chain->str(1), array = chain->str(2);
    text.declare(name + "_index = OpConstant %uint " + std::to_string(index));
    text.find(where + " = OpAccessChain");
    text.insertAfter(name + "_at = OpAccessChain " + pointer + " " + array + " %uint_0 " + name +
                     "_index");
    text.insertAfter(name + " = OpCooperativeMatrixLoadKHR " + type + " " + name + "_at " + layout +
                     " %fault_none" + rest);
    return true;
}

// A sum of 8 products minus one of them: A and B made of its lines alone give 8 times that product.
bool plantOwnStep(Text& text) {
    const auto product = text.find(kMultiply);
    if (!product) return false;
    const std::string type = product->str(2), c = product->str(5);
    const std::string full = product->str(0);
    const auto load = text.find(product->str(3) + R"( = OpCooperativeMatrixLoadKHR (%\w+))");
    if (!load) return false;
    const std::string typeOfA = load->str(1);
    text.declare("%fault_none = OpConstant %uint 0");
    if (!addFourth(text, 0, "%uint_1", "%fault_a") || !addFourth(text, 1, "%uint_0", "%fault_b"))
        return false;
    text.declare("%fault_share = OpConstant %half -0.125");
    text.find(kMultiply);
    text.replace("%fault_less = OpMatrixTimesScalar " + typeOfA + " %fault_a %fault_share");
    text.insertAfter("%fault_c = OpCooperativeMatrixMulAddKHR " + type + " %fault_less %fault_b " +
                     c);
    text.insertAfter(std::regex_replace(full, std::regex(c + "$"), "%fault_c"));
    return true;
}

// Omits the sixth step of a sum, which may be one instruction or two.
bool plantStep(Text& text) {
    auto sum = text.find(R"((%\w+) = OpExtInst (%\w+) %\w+ Fma %\w+ %\w+ (%\w+))", 5);
    if (!sum) sum = text.find(R"((%\w+) = OpFAdd (%\w+) (%\w+) %\w+)", 5);
    if (!sum) return false;
    text.replace(sum->str(1) + " = OpCopyObject " + sum->str(2) + " " + sum->str(3));
    return true;
}

// Exp that is 84 ulps too large, of one component or several.
bool plantExponential(Text& text) {
    const auto found = text.find(R"((%\w+) = OpExtInst (%(?:v\d)?float) %\w+ Exp %\w+)");
    if (!found) return false;
    const std::string type = found->str(2);
    const int parts = type == "%float" ? 1 : type[2] - '0';
    std::string factor =
        type == "%float" ? "OpConstant %float 1.00001" : "OpConstantComposite " + type;
    for (int i = 0; i < parts && parts > 1; ++i) factor += " %fault_factor";
    if (parts > 1) text.declare("%fault_factor = OpConstant %float 1.00001");
    text.declare("%fault_factors = " + factor);
    text.find(R"((%\w+) = OpExtInst (%(?:v\d)?float) %\w+ Exp %\w+)");
    text.insertAfter("%fault_scaled = OpFMul " + type + " " + found->str(1) + " %fault_factors");
    text.rename(found->str(1), "%fault_scaled");
    return true;
}

struct Fault {
    std::string_view name;
    bool ownMatrices;  // the driver's, else of rewritten shaders
    bool (*plant)(Text& text);
};

bool plantConversion(Text& text) {
    return plantLaneBehind(text, R"((%\w+) = Op(?:CooperativeMatrixConvert\w+|FConvert) (%\w+) )");
}

// Integer code that rounds to a narrow format: adds more than a unit; or limits values that are too
// large to the largest number of e4m3; or treats NaN as a number.
bool plantNumber(Text& text, const std::string& pattern, const std::string& in, const char* value) {
    bool isPlanted = false;
    while (const auto found = text.find("(" + in + ") " + pattern + "$")) {
        text.replace(found->str(1) + " %fault_number");
        isPlanted = true;
    }
    if (isPlanted) text.declare(std::string("%fault_number = OpConstant %uint ") + value);
    return isPlanted;
}
bool plantFormatRounding(Text& text) {
    return plantNumber(text, "%uint_(?:32767|524287)", R"(%\w+ = OpIAdd %uint %\w+)", "2097151");
}
bool plantFormatSaturation(Text& text) {
    return plantNumber(text, "%uint_127", R"(%\w+ = OpExtInst %uint %\w+ UMin %\w+)", "126");
}
bool plantFormatNan(Text& text) {
    return plantNumber(text, "%uint_1073758208", R"(%\w+ = OpBitwiseAnd %uint %\w+)", "0");
}

constexpr Fault kFaults[] = {
    {"lane", true, plantLane},
    {"layout", true, plantLayout},
    {"rounding", true, plantRounding},
    {"ulps", true, plantUlps},
    {"own-k-step", true, plantOwnStep},
    {"store-layout", true, plantStoreLayout},
    {"k-step", false, plantStep},
    {"exponential", false, plantExponential},
    {"format-rounding", false, plantFormatRounding},
    {"format-saturation", false, plantFormatSaturation},
    {"format-nan", false, plantFormatNan},
    {"reduce-direction", true, plantReduceDirection},
    {"reduce-twice", true, plantReduceTwice},
    {"element-swap", true, plantElementSwap},
    {"conversion", true, plantConversion},
    {"clip", true, plantClip},
    {"slice", true, plantSlice},
    {"decode-place", true, plantDecodePlace},
    {"conversion-rounding", true, plantConversionRounding},
    {"conversion-saturation", true, plantConversionSaturation},
    {"conversion-nan", true, plantConversionNan},
    {"number-offset", false, plantNumberOffset},
};

}  // namespace

std::vector<uint32_t> plant(std::string_view name, std::vector<uint32_t> words) {
    const spvtools::SpirvTools tools(kEnvironment);
    std::string source;
    constexpr uint32_t kOptions =
        SPV_BINARY_TO_TEXT_OPTION_NO_HEADER | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
    if (!tools.Disassemble(words, &source, kOptions)) return words;
    Text text(source);
    const bool own = text.has("OpCapability CooperativeMatrixKHR");
    for (const Fault& fault : kFaults) {
        if (fault.name != name || fault.ownMatrices != own || !fault.plant(text)) continue;
        std::vector<uint32_t> planted;
        if (!tools.Assemble(text.join(), &planted)) std::abort();  // the fault's own fault
        return planted;
    }
    return words;
}

}  // namespace coopvk::test
