// SPDX-License-Identifier: Apache-2.0
//
// `coopvk info`: shows what each device has itself, what coopvk adds, and what it cannot add and
// why.
#include <vulkan/vk_enum_string_helper.h>

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "commands.hpp"
#include "device/physical_device.hpp"
#include "device/policy.hpp"
#include "devices.hpp"
#include "failure.hpp"
#include "info/info_lists.hpp"
#include "info/shape_rows.hpp"
#include "info/summary.hpp"
#include "json_text.hpp"
#include "report/traits_json.hpp"
#include "settings/settings.hpp"
#include "system/system.hpp"

namespace coopvk::tool {
namespace {

using nlohmann::ordered_json;

struct InfoOptions {
    bool json = false;
    bool plan = false;
    bool isShort = false;
    // Empty: the environment and settings files decide.
    std::string emulate, backEnd;
};

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

// The types that products of emulated cooperative vectors can have; empty if none are emulated.
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

// The shapes of an emulated extension; none if it is not emulated.
std::vector<ShapeRow> shapesOf(const Device& device, const layer::Decisions& decisions,
                               rewrite::Extension extension) {
    if (!emulates(decisions, extension)) return {};
    const bool isNv = extension == rewrite::Extension::kNvCooperativeMatrix;
    return rowsOf(isNv ? rewrite::nvMatrixShapes(device.facts.traits)
                       : rewrite::matrixShapes(device.facts.traits));
}

// How emulated products are computed.
std::vector<rewrite::ProductMeans> emulatedMeans(const layer::PhysicalDeviceContext& assessed) {
    const rewrite::DeviceTraits& traits = assessed.facts.traits;
    using enum rewrite::BackEnd;
    const rewrite::BackEnd native = traits.onlyNativeShapes ? kNative : kAuto;
    std::vector<rewrite::ProductMeans> means =
        rewrite::productMeans(traits, assessed.nativeMatrices ? native : kCore);
    const bool matrices = emulates(assessed.decisions, rewrite::Extension::kKhrCooperativeMatrix);
    const bool vectors = emulates(assessed.decisions, rewrite::Extension::kNvCooperativeVector);
    std::erase_if(means, [&](const rewrite::ProductMeans& one) {
        return one.products.starts_with("vectors") ? !vectors : !matrices;
    });
    return means;
}

// What shaders without matrices that stay the driver's are rewritten for.
rewrite::Target targetOf(const layer::PhysicalDeviceContext& assessed) {
    rewrite::Target target;
    target.device = assessed.facts.traits;
    target.subgroupSize = target.device.subgroupSize;
    target.emulated = assessed.emulated;
    target.tuning = assessed.tuning.choices;
    return target;
}

ordered_json meansList(const std::vector<rewrite::ProductMeans>& means) {
    ordered_json list = ordered_json::array();
    for (const auto& [products, how] : means) {
        list.push_back({{"products", products}, {"means", how}});
    }
    return list;
}

ordered_json idList(const layer::DeviceIds& ids) {
    ordered_json list = ordered_json::object();
    if (ids.vendor) list["vendor"] = *ids.vendor;
    if (ids.device) list["device"] = *ids.device;
    if (ids.driver) list["driver"] = static_cast<uint32_t>(*ids.driver);
    return list;
}

ordered_json describe(const Device& device, const layer::PhysicalDeviceContext& assessed,
                      const layer::Settings& settings) {
    const layer::Decisions& decisions = assessed.decisions;
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
    json["ids"]["own"] = idList(device.facts.ids);
    json["ids"]["shown"] = idList(settings.shownIds);
    if (settings.as != nullptr)
        json["takenFor"] = {{"as", settings.as->name},
                            {"elementLayout", rewrite::elementLayoutName(assessed.elementLayout)},
                            {"requiredSubgroupSize", assessed.requiredSubgroupSize},
                            {"whyNot", assessed.whyNotTakenFor}};
    json["extensions"] = std::move(extensions);
    json["matrixShapes"]["native"] = shapeList(nativeRows(device));
    json["matrixShapes"]["added"] = shapeList(rowsOf(assessed.addedShapes));
    json["matrixShapes"]["addedFormats"] = shapeList(rowsOf(assessed.formatShapes));
    json["matrixShapes"]["emulated"] =
        shapeList(shapesOf(device, decisions, rewrite::Extension::kKhrCooperativeMatrix));
    json["matrixShapes"]["emulatedNv"] =
        shapeList(shapesOf(device, decisions, rewrite::Extension::kNvCooperativeMatrix));
    json["vectorCombinations"]["emulated"] = combinationList(emulatedVectors(device, decisions));
    json["tuning"] = {{"choices", rewrite::tuningText(assessed.tuning.choices)},
                      {"origin", assessed.tuning.origin},
                      {"ignored", assessed.tuning.ignored}};
    json["products"] = meansList(emulatedMeans(assessed));
    json["traits"] = layer::toJson(device.facts.traits);
    return json;
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

void printMeans(const std::vector<rewrite::ProductMeans>& means) {
    if (means.empty()) return;
    std::cout << "  how emulated products are computed:\n";
    for (const auto& [products, how] : means) {
        std::cout << "    " << products << ": " << how << '\n';
    }
}

void print(size_t index, const Device& device, const layer::PhysicalDeviceContext& assessed,
           const layer::Settings& settings) {
    const layer::Decisions& decisions = assessed.decisions;
    const rewrite::DeviceTraits& traits = device.facts.traits;
    std::cout << "device " << index << ": " << device.facts.properties.deviceName << " ("
              << deviceType(device) << ", Vulkan "
              << versionText(device.facts.properties.apiVersion) << ")\n";
    if (!device.driver.empty()) std::cout << "  driver: " << device.driver << '\n';
    std::cout << "  ids: " << device.facts.ids.text();
    if (!settings.shownIds.isEmpty()) {
        std::cout << "; programs see " << settings.shownIds.text() << ", as the settings say";
    }
    if (settings.as != nullptr) std::cout << "\n  " << layer::takenForText(*settings.as, assessed);
    if (const std::string text = textOf(assessed.tuning); !text.empty())
        std::cout << "\n  " << text;
    std::cout << "\n  subgroup size: " << traits.subgroupSize;
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
    printShapes("added, as tiles of the native ones", rowsOf(assessed.addedShapes));
    printShapes("added, of emulated formats", rowsOf(assessed.formatShapes));
    printShapes("emulated", shapesOf(device, decisions, rewrite::Extension::kKhrCooperativeMatrix));
    printShapes("emulated, VK_NV_cooperative_matrix",
                shapesOf(device, decisions, rewrite::Extension::kNvCooperativeMatrix));
    printCombinations(emulatedVectors(device, decisions));
    printMeans(emulatedMeans(assessed));
}

// The layer's settings, with those of the command line.
std::optional<layer::Settings> loadSettings(const InfoOptions& options) {
    std::vector<std::string> complaints;
    layer::EmulatePolicy::parse(options.emulate, complaints);
    const bool isWrong = !complaints.empty();
    if (!options.emulate.empty()) {
        layer::system::setVariable("COOPVK_EMULATE", options.emulate);
    }
    if (!options.backEnd.empty()) {
        layer::system::setVariable("COOPVK_BACK_END", options.backEnd);
    }
    complaints.clear();
    layer::Settings settings = layer::loadSettings(nullptr, complaints);
    for (const std::string& complaint : complaints) complain(complaint);
    if (isWrong) return std::nullopt;
    return settings;
}

// What the layer decides for each device; what it changes of a device's facts is then theirs.
std::vector<layer::PhysicalDeviceContext> assess(std::vector<Device>& devices,
                                                 const layer::Settings& settings) {
    std::vector<layer::PhysicalDeviceContext> all;
    all.reserve(devices.size());
    for (Device& device : devices) {
        all.push_back(layer::assessDevice(settings, device.facts));
        all.back().tuning = layer::tuningFor(settings, all.back().facts);
        device.facts = all.back().facts;
    }
    return all;
}

void printAllJson(const InfoOptions& options, std::span<const Device> devices,
                  std::span<const layer::PhysicalDeviceContext> assessed,
                  const layer::Settings& settings) {
    ordered_json json;
    json["coopvk"] = COOPVK_VERSION;
    json["rewriter"] = rewrite::version();
    json["settings"] = {{"emulate", settings.emulateText},
                        {"backEnd", layer::backEndName(settings.backEnd)}};
    json["devices"] = ordered_json::array();
    for (size_t i = 0; i < devices.size(); ++i) {
        json["devices"].push_back(describe(devices[i], assessed[i], settings));
        addLists(json["devices"].back(), devices[i], assessed[i]);
        if (options.plan) json["devices"].back()["plan"] = planList(targetOf(assessed[i]));
    }
    json["remembered"] = rememberedList();
    std::cout << jsonText(json, 2);
}

int runInfo(const InfoOptions& options) {
    const auto settings = loadSettings(options);
    if (!settings) return 1;
    auto devices = queryDevices();
    if (!devices) {
        complain(devices.error().message);
        return 1;
    }
    const auto assessed = assess(*devices, *settings);
    if (options.json) {
        printAllJson(options, *devices, assessed, *settings);
        return 0;
    }
    printSummary(std::cout, *devices, assessed);
    for (size_t i = 0; i < devices->size() && !options.isShort; ++i) {
        std::cout << '\n';
        print(i, (*devices)[i], assessed[i], *settings);
        printLists(std::cout, (*devices)[i], assessed[i]);
        if (options.plan) printPlan(std::cout, targetOf(assessed[i]));
    }
    if (devices->empty()) std::cout << "There is no Vulkan device here.\n";
    printRemembered(std::cout);
    return 0;
}

}  // namespace

void addInfoCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "info", "Show for each device which extensions are native, emulated or unavailable");
    auto options = std::make_shared<InfoOptions>();
    auto* json = command->add_flag("--json", options->json,
                                   "Print JSON, which `coopvk rewrite --device` reads");
    auto* plan = command->add_flag("--plan", options->plan,
                                   "Show what the rewriter decides by the device, and why");
    command->add_flag("--short", options->isShort, "Show the summary alone")
        ->excludes(json)
        ->excludes(plan);
    command->add_option("--emulate", options->emulate,
                        "Use this instead of the layer's setting: auto, all or names");
    command
        ->add_option("--back-end", options->backEnd,
                     "Use this instead of the layer's setting: auto, core or native")
        ->check(CLI::IsMember({"auto", "core", "native"}));
    command->callback([options, &status] { status = runInfo(*options); });
}

}  // namespace coopvk::tool
