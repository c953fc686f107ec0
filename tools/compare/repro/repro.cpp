// SPDX-License-Identifier: Apache-2.0
#include "compare/repro/repro.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "compare/numbers/conversion.hpp"
#include "compare/report/report.hpp"

namespace coopvk::compare {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProgram =
#include "repro_c.inc"
    ;

void write(const fs::path& file, std::string_view text) {
    std::ofstream out(file, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text)
        out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
}

template <typename List, typename Text>
std::string initializer(const List& list, Text text) {
    std::string out = "{";
    size_t column = 0;
    for (const auto& element : list) {
        out += (column++ % 8 == 0 ? "\n    " : " ") + text(element) + ",";
    }
    return out + "\n};\n";
}

std::string hex(uint64_t value, const char* suffix) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%llx%s", static_cast<unsigned long long>(value), suffix);
    return text;
}

// For C, without loss.
std::string real(Real value) {
    if (std::isnan(value)) return "NAN";
    if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
    char text[48];
    std::snprintf(text, sizeof(text), "%a", static_cast<double>(value));
    return text;
}

struct ExtensionRow {
    std::string_view name, structure, type, restsOn;
    std::string_view declarations = {};  // of the structure, for headers that lack it
};
// As in chain/vulkan_newer.hpp.
constexpr std::string_view kMicroscalingText = R"(
#include <vulkan/vulkan.h>
#ifndef VK_EXT_shader_ocp_microscaling_types
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT \
    ((VkStructureType)1000672000)
typedef struct {
    VkStructureType sType;
    void* pNext;
    VkBool32 shaderFloat4, shaderFloat6, shaderFloat8UnsignedE8M0, shaderMXInt8;
} VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT;
#endif
)";
constexpr ExtensionRow kReproExtensions[] = {
    {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, "VkPhysicalDeviceCooperativeMatrixFeaturesKHR",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR"},
    {VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME, "VkPhysicalDeviceCooperativeMatrixFeaturesNV",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV"},
    {VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME, "VkPhysicalDeviceCooperativeMatrix2FeaturesNV",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV",
     VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME},
    {VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME, "VkPhysicalDeviceCooperativeVectorFeaturesNV",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV"},
    {"VK_EXT_shader_ocp_microscaling_types",
     "VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT",
     {},
     kMicroscalingText},
};

const ExtensionRow& rowOf(const std::string& extension) {
    for (const ExtensionRow& row : kReproExtensions)
        if (extension == row.name) return row;
    throw std::runtime_error("no such extension: " + extension);
}

std::string conversionText(const Conversion& c, size_t buffer, bool after) {
    std::ostringstream out;
    out << "    {" << buffer << ", " << after << ", " << c.onDevice << ", (VkComponentTypeKHR)"
        << c.from << ", (VkComponentTypeKHR)" << c.to << ", (VkCooperativeVectorMatrixLayoutNV)"
        << c.fromLayout << ", (VkCooperativeVectorMatrixLayoutNV)" << c.toLayout << ", "
        << c.fromStride << ", " << c.toStride << ", " << c.rows << ", " << c.columns << "},\n";
    return out.str();
}

std::string conversionsText(const Plan& plan) {
    std::string rows;
    size_t count = 0;
    for (size_t i = 0; i < plan.conversions.size(); ++i, ++count)
        rows += conversionText(plan.conversions[i], i, false);
    for (const bool after : {false, true}) {
        for (const Relayout& relayout : plan.relayouts) {
            if (after && !relayout.back) continue;
            rows += conversionText(conversionOf(relayout, after), relayout.buffer, after);
            ++count;
        }
    }
    if (count == 0) return {};
    return "\n// Matrices whose layout changes: ahead of the dispatch and after it.\n"
           "struct Conversion {\n    int buffer, after, onDevice;\n"
           "    VkComponentTypeKHR from, to;\n"
           "    VkCooperativeVectorMatrixLayoutNV fromLayout, toLayout;\n"
           "    size_t fromStride, toStride;\n    uint32_t rows, columns;\n};\n"
           "#define CONVERSIONS " +
           std::to_string(count) + "\nstatic const struct Conversion conversions[] = {\n" + rows +
           "};\n";
}

std::string buffersText(const Plan& plan) {
    std::string text, list = "static const unsigned char* const buffers[] = {";
    std::string sizes = "static const size_t sizes[] = {";
    std::string addresses = "static const int addressOfBuffer[] = {";
    for (size_t i = 0; i < plan.buffers.size(); ++i) {
        const std::string name = "buffer" + std::to_string(i);
        text += "\n// " + plan.labels[i] + "\nstatic const unsigned char " + name +
                "[] = " + initializer(plan.buffers[i], [](std::byte b) {
                    return std::to_string(std::to_integer<int>(b));
                });
        list += (i ? ", " : "") + name;
        sizes += (i ? ", " : "") + std::to_string(plan.buffers[i].size());
        const auto at = std::find(plan.addresses.begin(), plan.addresses.end(), i);
        addresses +=
            (i ? ", " : "") +
            (at == plan.addresses.end() ? "-1" : std::to_string(at - plan.addresses.begin()));
    }
    return "\n#define BUFFERS " + std::to_string(plan.buffers.size()) + "\n" + text + list +
           "};\n" + sizes + "};\n// Which push constant holds the buffer's address, or -1.\n" +
           addresses + "};\n";
}

std::string expectationText(const Plan& plan) {
    const auto list = [&](const char* type, const char* name, auto text) {
        return std::string("static const ") + type + " " + name +
               "[] = " + initializer(plan.expected, text);
    };
    return list("uint64_t", "expected", [](const Expected& e) { return hex(e.bits, "ull"); }) +
           list("double", "low", [](const Expected& e) { return real(e.low); }) +
           list("double", "high", [](const Expected& e) { return real(e.high); });
}

// The extensions and features that the shader's formats need.
struct FormatRow {
    std::string_view spirv, name, macro;
};
constexpr FormatRow kFormats[] = {
    {"\"SPV_KHR_bfloat16\"", VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME, "BFLOAT16"},
    {"\"SPV_EXT_float8\"", VK_EXT_SHADER_FLOAT8_EXTENSION_NAME, "FLOAT8"},
};

std::string extensionsText(const ExtensionRow& row, const Plan& plan) {
    std::string text, names = quoted(row.name);
    if (!row.restsOn.empty()) {
        text += "#define RESTS_ON\n";
        names += ", " + quoted(row.restsOn);
    }
    for (const FormatRow& format : kFormats) {
        if (plan.assembly.find(format.spirv) == std::string::npos) continue;
        text += "#define " + std::string(format.macro) + "\n";
        names += ", " + quoted(format.name);
    }
    return text + "#define EXTENSIONS " + names + "\n";
}

// The bit fields of float formats.
std::string numbersText(const ComponentInfo& c) {
    return "\n#define IS_FLOAT " + std::to_string(c.isFloat()) + "\n#define MANTISSA_BITS " +
           std::to_string(c.mantissaBits) + "\n#define EXPONENT_BITS " +
           std::to_string(std::max(c.exponentBits, 1)) + "\n#define HAS_INFINITY " +
           std::to_string(c.infinity);
}

std::string header(const Comparison& comparison, const Case& subject, const Plan& plan) {
    const ExtensionRow& row = rowOf(comparison.options().extension);
    const Block& block = plan.result;
    std::ostringstream out;
    out << "// A case of coopvk compare; repro.c runs it.\n#define CASE_NAME "
        << quoted(subject.name) << "\n"
        << row.declarations << extensionsText(row, plan) << "#define FEATURES_STRUCT "
        << row.structure << "\n#define FEATURES_TYPE " << row.type
        << "\n\n// The result's elements.\n#define OUTPUT " << plan.output << "\n#define ROWS "
        << block.rows << "\n#define COLUMNS " << block.columns << "\n#define COLUMN_MAJOR "
        << block.columnMajor << "\n#define STRIDE " << block.stride << "\n#define OFFSET "
        << block.offset << "\n#define ELEMENT_BYTES " << info(block.component).bytes()
        << numbersText(info(block.component)) << "\n#define GROUPS " << plan.groups << "\n";
    out << buffersText(plan) << conversionsText(plan)
        << "\n// What each element must be; floats may be from low to high.\n"
        << expectationText(plan);
    if (!plan.assembly.empty())
        out << "\n#define SHADER\nstatic const uint32_t shader[] = "
            << initializer(assemble(plan.assembly), [](uint32_t word) { return hex(word, ""); });
    return out.str();
}

// Every element with the results of the sides.
std::string elementsText(const Plan& plan, const Comparison::Outcomes& outcomes) {
    const Component type = plan.result.component;
    std::string text = "row\tcolumn\tnative\temulated\treference\tnative bits\temulated bits\n";
    const auto bitsOf = [](const std::optional<Outcome>& outcome, size_t i) -> std::string {
        return outcome && outcome->result ? hex(outcome->result->elements[i], "") : "-";
    };
    for (size_t i = 0; i < plan.expected.size(); ++i) {
        const auto side = [&](const std::optional<Outcome>& outcome) -> std::string {
            if (!outcome || !outcome->result) return "-";
            const uint64_t bits = outcome->result->elements[i];
            return toText(type, bits) + (allowed(type, plan.expected[i], bits) ? "" : " (off)");
        };
        text += std::to_string(i / plan.result.columns) + "\t" +
                std::to_string(i % plan.result.columns) + "\t" + side(outcomes.native) + "\t" +
                side(outcomes.emulated) + "\t" + toText(type, plan.expected[i].bits) + "\t" +
                bitsOf(outcomes.native, i) + "\t" + bitsOf(outcomes.emulated, i) + "\n";
    }
    return text;
}

std::string shaderPage(const Plan& plan) {
    if (plan.assembly.empty())
        return "The case has no shader: it converts matrices "
               "with\nvkConvertCooperativeVectorMatrixNV, on the host or in a command buffer. "
               "Buffers:\n\n";
    return "`shader.spvasm` (and `shader.spv`) runs in " + std::to_string(plan.groups) +
           " workgroup. Storage buffers of set 0:\n\n";
}

std::string page(const Comparison& comparison, const Plan& plan, const Verdict& verdict) {
    const auto side = [](const SideDescription& s) {
        return s.present ? s.name : "not available: " + s.absent;
    };
    std::ostringstream out;
    out << "# " << verdict.subject->name << "\n\n"
        << comparison.options().extension << ": " << nameOf(verdict.status) << ", "
        << describe(verdict) << "\n\n- native: " << side(comparison.native())
        << "\n- emulated: " << side(comparison.emulated()) << "\n\n"
        << shaderPage(plan);
    for (size_t i = 0; i < plan.buffers.size(); ++i) {
        out << "- " << i << ": " << plan.labels[i] << ", " << plan.buffers[i].size() << " bytes";
        for (size_t a = 0; a < plan.addresses.size(); ++a)
            if (plan.addresses[a] == i) out << ", with its address in push constant " << a;
        out << "\n";
    }
    out << "\n`elements.tsv` has the results of each side. To run the case without coopvk:\n\n    "
           "cc -std=c11 -O1 repro.c -o repro -lvulkan -lm && ./repro\n\nArguments: the number of "
           "the device, and a SPIR-V file to run in place of the case's shader. The program prints "
           "the wrong elements, and exits with status 1 if there are any.\n";
    out << "\nWith coopvk:\n\n    coopvk compare --extension " << comparison.options().extension
        << " --seed " << comparison.options().seed << " --case " << verdict.number << "\n";
    return out.str();
}

}  // namespace

void writeRepro(const fs::path& folder, const Comparison& comparison, size_t number,
                const Plan& plan, const Comparison::Outcomes& outcomes, const Verdict& verdict) {
    std::error_code error;
    fs::create_directories(folder, error);
    write(folder / "repro.c", kProgram.substr(1));
    write(folder / "case.h", header(comparison, comparison.grid()[number], plan));
    write(folder / "elements.tsv", elementsText(plan, outcomes));
    write(folder / "README.md", page(comparison, plan, verdict));
    if (plan.assembly.empty()) return;
    const std::vector<uint32_t> words = assemble(plan.assembly);
    write(folder / "shader.spvasm", plan.assembly);
    write(folder / "shader.spv", {reinterpret_cast<const char*>(words.data()), words.size() * 4});
}

}  // namespace coopvk::compare
