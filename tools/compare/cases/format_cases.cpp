// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/format_cases.hpp"

#include "compare/shaders/module_text.hpp"

namespace coopvk::compare {
namespace {

constexpr Component kWord = VK_COMPONENT_TYPE_UINT32_KHR;
constexpr uint32_t kLanes = 64, kEach = 4;  // each invocation converts so many numbers
constexpr uint32_t kNumbers = kLanes * kEach;

struct Format {
    std::string_view name, type, capability;
    uint32_t bits;
    VkBool32 VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT::* feature;
    uint32_t leastInF16;  // the first pattern whose f16 is no denormal number, which may be flushed
};
using FormatFeatures = VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT;
constexpr Format kFormats[] = {
    {"e2m1", "OpTypeFloat 4 Float4E2M1EXT", "Float4EXT", 4, &FormatFeatures::shaderFloat4, 0},
    {"e2m3", "OpTypeFloat 6 Float6E2M3EXT", "Float6EXT", 6, &FormatFeatures::shaderFloat6, 0},
    {"e3m2", "OpTypeFloat 6 Float6E3M2EXT", "Float6EXT", 6, &FormatFeatures::shaderFloat6, 0},
    // 2^-14 is the smallest normal number of f16, and 2^-126 of f32, whose bits are 1.
    {"e8m0", "OpTypeFloat 8 Float8UnsignedE8M0EXT", "Float8UnsignedE8M0EXT", 8,
     &FormatFeatures::shaderFloat8UnsignedE8M0, 127 - 14},
    {"mxint8", "OpTypeFloat 8 MXInt8EXT", "MXInt8EXT", 8, &FormatFeatures::shaderMXInt8, 0},
};

constexpr Component kTargets[] = {kFloat16, kFloat32};

struct FormatVariant {
    const Format* format;
    Component to;
    bool isVector;  // one instruction converts the numbers of an invocation
    std::string name;
};

class FormatWriter {
 public:
    explicit FormatWriter(const FormatVariant& variant) : v_(variant), text_(kLanes) {}

    std::string write() {
        text_.capability(v_.format->capability);
        text_.extension("SPV_EXT_ocp_microscaling_types");
        const ModuleText::Array in = text_.buffer(0, {kWord}), out = text_.buffer(1, {v_.to});
        const std::string type = text_.declare(v_.format->name, v_.format->type);
        const std::string first =
            op("OpIMul", text_.u32(), text_.lane() + " " + text_.constant(kEach));
        std::vector<std::string> places, numbers;
        for (uint32_t i = 0; i < kEach; ++i) {
            places.push_back(op("OpIAdd", text_.u32(), first + " " + text_.constant(i)));
            numbers.push_back(number(type, text_.load(in, places[i])));
        }
        const std::vector<std::string> floats = converted(type, numbers);
        for (uint32_t i = 0; i < kEach; ++i) text_.store(out, places[i], floats[i]);
        return text_.text();
    }

 private:
    std::string op(std::string_view opcode, const std::string& type, const std::string& operands) {
        const std::string id = text_.fresh("v");
        text_.line(id + " = " + std::string(opcode) + " " + type + " " + operands);
        return id;
    }

    // The number whose bits are the low ones of a word.
    std::string number(const std::string& type, const std::string& word) {
        if (v_.format->bits < 8) {
            text_.capability("BitcastExtractEXT");
            return op("OpBitcastExtractEXT", type, word + " " + text_.constant(0));
        }
        const std::string byte = text_.scalar(VK_COMPONENT_TYPE_UINT8_KHR);
        return op("OpBitcast", type, op("OpUConvert", byte, word));
    }

    std::vector<std::string> converted(const std::string& type,
                                       const std::vector<std::string>& numbers) {
        const std::string target = text_.scalar(v_.to);
        std::vector<std::string> floats;
        if (!v_.isVector) {
            for (const std::string& n : numbers) floats.push_back(op("OpFConvert", target, n));
            return floats;
        }
        const auto vectorOf = [&](const std::string& component, std::string_view name) {
            return text_.declare(std::string(name) + "x4", "OpTypeVector " + component + " 4");
        };
        std::string all;
        for (const std::string& n : numbers) all += " " + n;
        const std::string vector = op("OpCompositeConstruct", vectorOf(type, v_.format->name), all);
        const std::string result = op("OpFConvert", vectorOf(target, nameOf(v_.to)), vector);
        for (uint32_t i = 0; i < kEach; ++i)
            floats.push_back(op("OpCompositeExtract", target, result + " " + std::to_string(i)));
        return floats;
    }

    const FormatVariant& v_;
    ModuleText text_;
};

// Each pattern, in an order of the seed; the bits above a number are any.
Plan plan(const FormatVariant& v, uint64_t seed) {
    Rng rng(seed, v.name);
    const uint32_t patterns = 1u << v.format->bits;
    const bool isScale = v.format->leastInF16 != 0;
    const uint32_t least = !isScale ? 0 : v.to == kFloat16 ? v.format->leastInF16 : 1;
    const auto start = static_cast<uint32_t>(rng.range(0, kNumbers - 1));
    Plan plan;
    plan.assembly = FormatWriter(v).write();
    plan.labels = {"numbers", "result"};
    plan.buffers = {rng.bytes(kNumbers * sizeof(uint32_t)),
                    rng.bytes(size_t{kNumbers} * info(v.to).bytes())};
    for (uint32_t i = 0; i < kNumbers; ++i) {
        const size_t at = i * sizeof(uint32_t);
        const uint64_t above = readBits(plan.buffers[0], at, kWord) / patterns * patterns;
        const uint32_t pattern = least + (start + i) % (patterns - least);
        writeBits(plan.buffers[0], at, kWord, above + pattern);
    }
    plan.output = 1;
    plan.result = {v.to, 1, kNumbers, false, kNumbers * size_t{info(v.to).bytes()}, 0};
    plan.freedom.rounds = true;
    return plan;
}

void add(const Format& format, Component to, bool native, bool emulated, std::vector<Case>& cases) {
    if (!native && !emulated) return;
    for (const bool isVector : {false, true}) {
        FormatVariant v = {&format, to, isVector, {}};
        const std::string row(format.name);
        v.name =
            row + "/conversion/" + (isVector ? "vectors to " : "to ") + std::string(nameOf(to));
        cases.push_back({v.name, row, "conversion", native, emulated,
                         [v](const DeviceShape&, uint64_t seed) { return plan(v, seed); }});
    }
}

// Whether a side has the format, and shaders with what its cases take.
bool has(const Gpu* gpu, const Format& format, Component to) {
    if (gpu == nullptr || !gpu->hasExtension()) return false;
    const auto features = gpu->featuresOf<VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT);
    return features.*format.feature && (to != kFloat16 || gpu->features12.shaderFloat16) &&
           (format.bits < 8 || gpu->features12.shaderInt8);
}

}  // namespace

std::vector<Case> formatCases(const Gpu* native, const Gpu* emulated) {
    std::vector<Case> cases;
    for (const Format& format : kFormats)
        for (const Component to : kTargets)
            add(format, to, has(native, format, to), has(emulated, format, to), cases);
    return cases;
}

std::vector<Case> referenceFormatCases() {
    std::vector<Case> cases;
    for (const Format& format : kFormats)
        for (const Component to : kTargets) add(format, to, true, false, cases);
    return cases;
}

}  // namespace coopvk::compare
