// SPDX-License-Identifier: Apache-2.0
#include "format_faults.hpp"

namespace coopvk::test {
namespace {

struct Format {
    std::string_view name;
    const char* oneUnitMore;  // 1 + the distance to the next number
};
constexpr Format kFormats[] = {
    {"%bfloat16", "1.0078125"}, {"%fp8e4m3", "1.125"}, {"%fp8e5m2", "1.25"}};

constexpr const char* kSaturates = " SaturatedToLargestFloat8NormalConversionEXT";

// A matrix of f32 becomes one of a format.
struct Conversion {
    std::string line, source, sourceType;
    const Format* format = nullptr;

    // The conversion's line, with another source.
    std::string of(const std::string& other) const {
        return line.substr(0, line.size() - source.size()) + other;
    }
};

constexpr const char* kConversion = R"((%\w+ = OpFConvert )(%\w+) (%\w+)$)";

std::optional<Conversion> findConversion(Text& text) {
    const auto found = text.find(kConversion);
    if (!found) return std::nullopt;
    Conversion c = {found->str(0), found->str(3), {}, nullptr};
    const auto component = [&](const std::string& type) {
        const auto matrix = text.find(type + R"( = OpTypeCooperativeMatrixKHR (%\w+) )");
        return matrix ? matrix->str(1) : std::string();
    };
    const auto format = std::ranges::find(kFormats, component(found->str(2)), &Format::name);
    if (format == std::end(kFormats)) return std::nullopt;
    c.format = format;
    const auto source = text.find(c.source + R"( = Op\w+ (%\w+))");
    if (!source || component(source->str(1)) != "%float") return std::nullopt;
    c.sourceType = source->str(1);
    return c;
}

// The conversion is of what `line` makes of its source, %fault_source.
void convertInstead(Text& text, const Conversion& c, const std::string& line) {
    text.find(kConversion);
    text.replace("%fault_source = " + line);
    text.insertAfter(c.of("%fault_source"));
}

// %fault_each: a function for each element, with 0 in place of NaN.
void declareWithoutNan(Text& text) {
    text.find("OpCapability CooperativeMatrixConversionsNV");
    text.insertAfter("OpCapability CooperativeMatrixPerElementOperationsNV");
    if (!text.has("%bool = OpTypeBool")) text.declare("%bool = OpTypeBool");
    text.declare("%fault_none = OpConstant %float 0");
    text.declare("%fault_type = OpTypeFunction %float %uint %uint %float");
    text.find("OpFunctionEnd");
    for (const char* line :
         {"%fault_each = OpFunction %float None %fault_type",
          "%fault_row = OpFunctionParameter %uint", "%fault_column = OpFunctionParameter %uint",
          "%fault_element = OpFunctionParameter %float", "%fault_entry = OpLabel",
          "%fault_is = OpIsNan %bool %fault_element",
          "%fault_kept = OpSelect %float %fault_is %fault_none %fault_element",
          "OpReturnValue %fault_kept", "OpFunctionEnd"})
        text.insertAfter(line);
}

}  // namespace

bool plantConversionRounding(Text& text) {
    const auto conversion = findConversion(text);
    if (!conversion) return false;
    text.declare(std::string("%fault_factor = OpConstant %float ") +
                 conversion->format->oneUnitMore);
    convertInstead(text, *conversion,
                   "OpMatrixTimesScalar " + conversion->sourceType + " " + conversion->source +
                       " %fault_factor");
    return true;
}

bool plantConversionSaturation(Text& text) {
    const auto conversion = findConversion(text);
    if (!conversion) return false;
    const std::string result = conversion->line.substr(0, conversion->line.find(' '));
    if (text.find("OpDecorate " + result + kSaturates)) {
        text.replace("");
    } else {
        text.find(R"(^ *OpExecutionMode )");
        text.insertAfter("OpDecorate " + result + kSaturates);
    }
    return true;
}

bool plantConversionNan(Text& text) {
    const auto conversion = findConversion(text);
    if (!conversion) return false;
    declareWithoutNan(text);
    convertInstead(text, *conversion,
                   "OpCooperativeMatrixPerElementOpNV " + conversion->sourceType + " " +
                       conversion->source + " %fault_each");
    return true;
}

bool plantNumberOffset(Text& text) {
    const auto extract = text.find(R"((%\w+ = OpBitcastExtractEXT %\w+ %\w+) %uint_0$)");
    if (!extract) return false;
    text.replace(extract->str(1) + " %uint_1");
    return true;
}

}  // namespace coopvk::test
