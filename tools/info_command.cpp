// SPDX-License-Identifier: Apache-2.0
//
// `coopvk info`: what each device has itself, what coopvk gives it, and why not.
#include <vulkan/vk_enum_string_helper.h>

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "commands.hpp"
#include "devices.hpp"
#include "info_lists.hpp"
#include "physical_device.hpp"
#include "policy.hpp"
#include "settings.hpp"
#include "traits_json.hpp"

namespace coopvk::tool {
namespace {

using nlohmann::ordered_json;

struct Options {
    bool json = false;
    // Empty: as the environment and settings files have it.
    std::string emulate, backEnd;
};

// One row of cooperative matrix properties, native or emulated, as text.
struct ShapeRow {
    uint32_t m, n, k;
    std::string a, b, c, result;
    std::string scope = "subgroup";
    bool saturating = false;

    std::string size() const {
        return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    }
    std::string types() const {
        return a + " * " + b + " + " + c + " -> " + result + (saturating ? ", saturating" : "") +
               (scope == "subgroup" ? "" : ", " + scope);
    }
};

// "VK_PREFIX_SOME_THING_KHR" to "some_thing"
std::string shortName(std::string_view text, std::string_view prefix) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    for (const std::string_view suffix : {"_KHR", "_NV", "_EXT"}) {
        if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
    }
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

std::string typeName(VkComponentTypeKHR type) {
    if (type <= VK_COMPONENT_TYPE_UINT64_KHR) {
        return std::string(rewrite::name(static_cast<rewrite::ComponentType>(type)));
    }
    return shortName(string_VkComponentTypeKHR(type), "VK_COMPONENT_TYPE_");
}

std::vector<ShapeRow> nativeRows(const Device& device) {
    std::vector<ShapeRow> rows;
    for (const VkCooperativeMatrixPropertiesKHR& p : device.nativeShapes) {
        rows.push_back({p.MSize, p.NSize, p.KSize, typeName(p.AType), typeName(p.BType),
                        typeName(p.CType), typeName(p.ResultType),
                        shortName(string_VkScopeKHR(p.scope), "VK_SCOPE_"),
                        p.saturatingAccumulation == VK_TRUE});
    }
    return rows;
}

std::vector<ShapeRow> emulatedRows(const std::vector<rewrite::MatrixShape>& shapes) {
    std::vector<ShapeRow> rows;
    const auto text = [](rewrite::ComponentType type) { return std::string(rewrite::name(type)); };
    for (const rewrite::MatrixShape& shape : shapes) {
        rows.push_back({shape.m, shape.n, shape.k, text(shape.a), text(shape.b), text(shape.c),
                        text(shape.result), "subgroup", shape.saturating});
    }
    return rows;
}

ordered_json shapeList(const std::vector<ShapeRow>& rows) {
    ordered_json list = ordered_json::array();
    for (const ShapeRow& row : rows) {
        list.push_back({{"m", row.m},
                        {"n", row.n},
                        {"k", row.k},
                        {"a", row.a},
                        {"b", row.b},
                        {"c", row.c},
                        {"result", row.result},
                        {"scope", row.scope},
                        {"saturating", row.saturating}});
    }
    return list;
}

std::string versionText(uint32_t version) {
    return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
           std::to_string(VK_API_VERSION_MINOR(version)) + "." +
           std::to_string(VK_API_VERSION_PATCH(version));
}

std::string deviceType(const Device& device) {
    return shortName(string_VkPhysicalDeviceType(device.facts.properties.deviceType),
                     "VK_PHYSICAL_DEVICE_TYPE_");
}

const layer::Decision& decisionFor(const layer::Decisions& decisions,
                                   rewrite::Extension extension) {
    return decisions[static_cast<size_t>(extension)];
}

bool emulates(const layer::Decisions& decisions, rewrite::Extension extension) {
    return decisionFor(decisions, extension).provision == layer::Provision::kEmulated;
}

// What products of emulated cooperative vectors take; empty where none are emulated.
std::vector<rewrite::VectorCombination> emulatedVectors(const Device& device,
                                                        const layer::Decisions& decisions) {
    if (!emulates(decisions, rewrite::Extension::kNvCooperativeVector)) return {};
    return rewrite::vectorCombinations(device.facts.traits);
}

ordered_json combinationList(const std::vector<rewrite::VectorCombination>& rows) {
    ordered_json list = ordered_json::array();
    for (const rewrite::VectorCombination& row : rows) {
        list.push_back({{"input", rewrite::name(row.input)},
                        {"inputInterpretation", rewrite::name(row.inputInterpretation)},
                        {"matrix", rewrite::name(row.matrix)},
                        {"bias", rewrite::name(row.bias)},
                        {"result", rewrite::name(row.result)}});
    }
    return list;
}

// The shapes of an emulated extension; none where it is not.
std::vector<ShapeRow> shapesOf(const Device& device, const layer::Decisions& decisions,
                               rewrite::Extension extension) {
    if (!emulates(decisions, extension)) return {};
    const bool isNv = extension == rewrite::Extension::kNvCooperativeMatrix;
    return emulatedRows(isNv ? rewrite::nvMatrixShapes(device.facts.traits)
                             : rewrite::matrixShapes(device.facts.traits));
}

ordered_json describe(const Device& device, const layer::Decisions& decisions) {
    ordered_json extensions = ordered_json::array();
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        const layer::Decision& decision = decisionFor(decisions, info.extension);
        extensions.push_back({{"name", info.vulkanName},
                              {"spirv", info.spirvName},
                              {"status", layer::provisionName(decision.provision)},
                              {"reason", decision.reason}});
    }
    ordered_json json;
    json["name"] = device.facts.properties.deviceName;
    json["type"] = deviceType(device);
    json["apiVersion"] = versionText(device.facts.properties.apiVersion);
    json["driver"] = device.driver;
    json["extensions"] = std::move(extensions);
    json["matrixShapes"]["native"] = shapeList(nativeRows(device));
    json["matrixShapes"]["emulated"] =
        shapeList(shapesOf(device, decisions, rewrite::Extension::kKhrCooperativeMatrix));
    json["matrixShapes"]["emulatedNv"] =
        shapeList(shapesOf(device, decisions, rewrite::Extension::kNvCooperativeMatrix));
    json["vectorCombinations"]["emulated"] = combinationList(emulatedVectors(device, decisions));
    json["traits"] = layer::toJson(device.facts.traits);
    return json;
}

// Shapes of the same types on one line, in the order that applications see.
void printShapes(const char* title, const std::vector<ShapeRow>& rows) {
    if (rows.empty()) return;
    std::vector<std::string> order;
    std::map<std::string, std::string> sizes;
    for (const ShapeRow& row : rows) {
        auto [entry, isNew] = sizes.try_emplace(row.types());
        if (isNew) order.push_back(row.types());
        entry->second += " " + row.size();
    }
    std::cout << "  matrix shapes (MxNxK), " << title << ":\n";
    for (const std::string& types : order) {
        std::cout << "    " << types << ":" << sizes[types] << '\n';
    }
}

void printCombinations(const std::vector<rewrite::VectorCombination>& rows) {
    if (rows.empty()) return;
    std::cout << "  cooperative vectors (matrix * input + bias), emulated:\n";
    for (const rewrite::VectorCombination& row : rows) {
        std::cout << "    " << rewrite::name(row.matrix) << " * " << rewrite::name(row.input);
        if (row.inputInterpretation != row.input) {
            std::cout << " as " << rewrite::name(row.inputInterpretation);
        }
        std::cout << " + " << rewrite::name(row.bias) << " -> " << rewrite::name(row.result)
                  << '\n';
    }
}

void print(size_t index, const Device& device, const layer::Decisions& decisions) {
    const rewrite::DeviceTraits& traits = device.facts.traits;
    std::cout << "device " << index << ": " << device.facts.properties.deviceName << " ("
              << deviceType(device) << ", Vulkan "
              << versionText(device.facts.properties.apiVersion) << ")\n";
    if (!device.driver.empty()) std::cout << "  driver: " << device.driver << '\n';
    std::cout << "  subgroup size: " << traits.subgroupSize;
    if (traits.minSubgroupSize != traits.maxSubgroupSize) {
        std::cout << " (" << traits.minSubgroupSize << " to " << traits.maxSubgroupSize << ")";
    }
    std::cout << "\n  extensions:\n";
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        const layer::Decision& decision = decisionFor(decisions, info.extension);
        std::cout << "    " << std::left << std::setw(40) << info.vulkanName << std::setw(12)
                  << layer::provisionName(decision.provision) << decision.reason << '\n';
    }
    printShapes("native", nativeRows(device));
    printShapes("emulated", shapesOf(device, decisions, rewrite::Extension::kKhrCooperativeMatrix));
    printShapes("emulated, VK_NV_cooperative_matrix",
                shapesOf(device, decisions, rewrite::Extension::kNvCooperativeMatrix));
    printCombinations(emulatedVectors(device, decisions));
}

// The layer's own, but for what the command line says.
std::optional<layer::Settings> loadSettings(const Options& options) {
    std::vector<std::string> complaints;
    layer::EmulatePolicy::parse(options.emulate, complaints);
    const bool isWrong = !complaints.empty();
    if (!options.emulate.empty()) setenv("COOPVK_EMULATE", options.emulate.c_str(), 1);
    if (!options.backEnd.empty()) setenv("COOPVK_BACK_END", options.backEnd.c_str(), 1);
    complaints.clear();
    layer::Settings settings = layer::loadSettings(nullptr, complaints);
    for (const std::string& complaint : complaints) std::cerr << "coopvk: " << complaint << '\n';
    if (isWrong) return std::nullopt;
    return settings;
}

int runInfo(const Options& options) {
    const auto settings = loadSettings(options);
    if (!settings) return 1;
    auto devices = queryDevices();
    if (!devices) {
        std::cerr << "coopvk: " << devices.error().message << '\n';
        return 1;
    }
    ordered_json json;
    json["coopvk"] = COOPVK_VERSION;
    json["rewriter"] = rewrite::version();
    json["settings"] = {{"emulate", settings->emulateText},
                        {"backEnd", layer::backEndName(settings->backEnd)}};
    json["devices"] = ordered_json::array();
    for (size_t i = 0; i < devices->size(); ++i) {
        Device& device = (*devices)[i];
        const auto assessed = layer::assessDevice(*settings, device.facts);
        device.facts = assessed.facts;
        if (options.json) {
            json["devices"].push_back(describe(device, assessed.decisions));
            addLists(json["devices"].back(), device, assessed);
        } else {
            print(i, device, assessed.decisions);
            printLists(std::cout, device, assessed);
        }
    }
    if (options.json) {
        std::cout << json.dump(2) << '\n';
    } else if (devices->empty()) {
        std::cout << "There is no Vulkan device here.\n";
    }
    return 0;
}

}  // namespace

void addInfoCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "info", "Show for each device which extensions are native, emulated or unavailable");
    auto options = std::make_shared<Options>();
    command->add_flag("--json", options->json, "Print JSON, which `coopvk rewrite --device` reads");
    command->add_option("--emulate", options->emulate,
                        "In place of the layer's setting: auto, all or names");
    command
        ->add_option("--back-end", options->backEnd,
                     "In place of the layer's setting: auto, core or native")
        ->check(CLI::IsMember({"auto", "core", "native"}));
    command->callback([options, &status] { status = runInfo(*options); });
}

}  // namespace coopvk::tool
