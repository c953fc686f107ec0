// SPDX-License-Identifier: Apache-2.0
#include "info/info_lists.hpp"

#include <vulkan/vk_enum_string_helper.h>

#include <format>
#include <map>
#include <ostream>

#include "device/dependents.hpp"
#include "device/matrix2.hpp"
#include "info/shape_rows.hpp"
#include "settings/remembered.hpp"
#include "system/text.hpp"

namespace coopvk::tool {
namespace {

using nlohmann::ordered_json;
using rewrite::Extension;
using rewrite::ExtensionSet;

constexpr std::string_view kOperations[] = {"load", "load transposed", "load transformed",
                                            "prefetch", "store"};

std::string_view name(rewrite::BlockOperation operation) {
    return kOperations[static_cast<size_t>(operation)];
}

const char* fourBits(bool isSigned) { return isSigned ? "s4" : "u4"; }

std::vector<rewrite::Int4MatrixShape> int4Shapes(const layer::PhysicalDeviceContext& assessed) {
    if (!assessed.emulated.contains(Extension::kIntelInt4)) return {};
    return rewrite::int4MatrixShapes(assessed.facts.traits);
}

std::vector<rewrite::BlockSizes> blocks(const layer::PhysicalDeviceContext& assessed) {
    if (!assessed.emulated.contains(Extension::kIntel2dBlockIo)) return {};
    return rewrite::blockSizes(assessed.facts.traits);
}

// "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT" gives "matrices of shader_float8".
std::string featuresName(VkStructureType type) {
    std::string_view text = string_VkStructureType(type);
    constexpr std::string_view kStart = "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_";
    if (text.starts_with(kStart)) text.remove_prefix(kStart.size());
    text = text.substr(0, text.find("_FEATURES"));
    return "matrices of " + layer::lowerCase(text);
}

// The emulated extensions because of which something is hidden, as text.
template <typename IsHidden>
std::string reasonFor(ExtensionSet emulated, const IsHidden& isHidden) {
    std::string names;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (!emulated.contains(info.extension) || !isHidden(ExtensionSet{info.extension})) continue;
        names.append(names.empty() ? "" : ", ").append(info.vulkanName);
    }
    return "depends on the driver's own " + names + ", which coopvk replaces";
}

void printInt4(std::ostream& out, const std::vector<rewrite::Int4MatrixShape>& shapes) {
    if (shapes.empty()) return;
    out << "  4-bit matrix shapes (MxNxK), emulated:\n";
    std::vector<std::string> order;
    std::map<std::string, std::string> sizes;
    for (const rewrite::Int4MatrixShape& shape : shapes) {
        std::string types = std::string(fourBits(shape.aSigned)) + " * " + fourBits(shape.bSigned);
        types.append(" + ").append(name(shape.c)).append(" -> ").append(name(shape.result));
        if (shape.saturating) types += ", saturating";
        auto [entry, isNew] = sizes.try_emplace(types);
        if (isNew) order.push_back(types);
        entry->second += " " + std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" +
                         std::to_string(shape.k);
    }
    for (const std::string& types : order) out << "    " << types << ":" << sizes[types] << '\n';
}

void printBlocks(std::ostream& out, const std::vector<rewrite::BlockSizes>& sizes) {
    if (sizes.empty()) return;
    out << "  2D blocks, emulated:\n";
    for (const rewrite::BlockSizes& size : sizes) {
        out << "    " << name(size.operation) << ", elements of " << size.elementSize
            << (size.elementSize == 1 ? " byte: " : " bytes: ") << "up to " << size.maxCount
            << " blocks of " << size.maxWidth << "x" << size.maxHeight
            << ", widths in multiples of " << size.widthGranularity << '\n';
    }
}

// "subgroups", "workgroups of 64"
std::string ofWhom(const rewrite::FlexibleShape& shape) {
    if (shape.workgroupInvocations == 0) return "subgroups";
    return "workgroups of " + std::to_string(shape.workgroupInvocations);
}

void printFlexible(std::ostream& out, const std::vector<rewrite::FlexibleShape>& shapes) {
    if (shapes.empty()) return;
    out << "  matrices of any size up to " << rewrite::kMaxMatrixDimension
        << ", multiples of MxNxK, emulated:\n";
    std::vector<std::string> order;
    std::map<std::string, std::string> whose;
    for (const rewrite::FlexibleShape& shape : shapes) {
        const ShapeRow row = rowsOf({shape.granularity}).front();
        const std::string text = row.types() + ": " + row.size();
        auto [entry, isNew] = whose.try_emplace(text);
        if (isNew) order.push_back(text);
        entry->second += ", " + ofWhom(shape);
    }
    for (const std::string& text : order) out << "    " << text << whose[text] << '\n';
}

ordered_json flexibleList(const std::vector<rewrite::FlexibleShape>& shapes) {
    ordered_json list = ordered_json::array();
    for (const rewrite::FlexibleShape& shape : shapes) {
        ordered_json row = shapeList(rowsOf({shape.granularity})).front();
        row["scope"] = shape.workgroupInvocations == 0 ? "subgroup" : "workgroup";
        row["workgroupInvocations"] = shape.workgroupInvocations;
        list.push_back(std::move(row));
    }
    return list;
}

// What is tuned, as rows of a plan.
std::vector<rewrite::PlanRow> tunedRows(const rewrite::MatrixTuning& tuning) {
    std::vector<rewrite::PlanRow> rows;
    const std::string text = rewrite::tuningText(tuning);
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view pair = layer::takeUntil(',', rest);
        const std::string_view name = layer::takeUntil('=', pair);
        for (const rewrite::TuningInfo& info : rewrite::tuningTable())
            if (info.name == name) rows.push_back({info.name, std::string(pair), info.changes});
    }
    return rows;
}

}  // namespace

std::vector<HiddenThing> hiddenOf(const Device& device, const layer::Hidden& hidden) {
    std::vector<HiddenThing> things;
    const auto alone = [&](ExtensionSet one) {
        return layer::Hidden{hidden.emulated, one, hidden.apiVersion};
    };
    for (const VkExtensionProperties& listed : device.facts.extensions) {
        const char* listedName = listed.extensionName;
        if (!hidden.hasExtension(listedName)) continue;
        things.push_back({listedName, reasonFor(hidden.replaced, [&](ExtensionSet one) {
                              return alone(one).hasExtension(listedName);
                          })});
    }
    for (const auto& features : device.dependentFeatures) {
        const auto* node = reinterpret_cast<const VkBaseInStructure*>(features.data());
        if (!hidden.isAskedForBy(node)) continue;
        things.push_back(
            {featuresName(node->sType), reasonFor(hidden.replaced, [&](ExtensionSet one) {
                 return alone(one).isAskedForBy(node);
             })});
    }
    return things;
}

void addLists(ordered_json& json, const Device& device,
              const layer::PhysicalDeviceContext& assessed) {
    ordered_json int4 = ordered_json::array(), sizes = int4, hidden = int4;
    for (const rewrite::Int4MatrixShape& shape : int4Shapes(assessed)) {
        int4.push_back({{"m", shape.m},
                        {"n", shape.n},
                        {"k", shape.k},
                        {"a", fourBits(shape.aSigned)},
                        {"b", fourBits(shape.bSigned)},
                        {"c", rewrite::name(shape.c)},
                        {"result", rewrite::name(shape.result)},
                        {"scope", "subgroup"},
                        {"saturating", shape.saturating}});
    }
    for (const rewrite::BlockSizes& size : blocks(assessed)) {
        sizes.push_back({{"operation", name(size.operation)},
                         {"elementSize", size.elementSize},
                         {"widthGranularity", size.widthGranularity},
                         {"maxWidth", size.maxWidth},
                         {"maxHeight", size.maxHeight},
                         {"maxCount", size.maxCount}});
    }
    for (const HiddenThing& thing : hiddenOf(device, assessed.hidden)) {
        hidden.push_back({{"name", thing.name}, {"reason", thing.reason}});
    }
    json["matrixShapes"]["emulatedFlexible"] = flexibleList(layer::flexibleShapes(assessed));
    json["matrixShapes"]["emulatedInt4"] = std::move(int4);
    json["blockSizes"]["emulated"] = std::move(sizes);
    json["hidden"] = std::move(hidden);
}

void printLists(std::ostream& out, const Device& device,
                const layer::PhysicalDeviceContext& assessed) {
    printFlexible(out, layer::flexibleShapes(assessed));
    printInt4(out, int4Shapes(assessed));
    printBlocks(out, blocks(assessed));
    const auto hidden = hiddenOf(device, assessed.hidden);
    if (!hidden.empty()) out << "  the driver's own, hidden by coopvk:\n";
    for (const HiddenThing& thing : hidden) {
        out << "    " << thing.name << ": " << thing.reason << '\n';
    }
}

ordered_json planList(const rewrite::Target& target) {
    ordered_json list = ordered_json::array();
    for (const auto& [name, value, changes] : tunedRows(target.tuning)) {
        list.push_back({{"name", name}, {"value", value}, {"reason", changes}, {"tuned", true}});
    }
    for (const auto& [name, value, reason] : rewrite::devicePlan(target)) {
        list.push_back({{"name", name}, {"value", value}, {"reason", reason}});
    }
    return list;
}

void printPlan(std::ostream& out, const rewrite::Target& target) {
    if (target.tuning != rewrite::MatrixTuning()) out << "  tuned, in place of what is below:\n";
    for (const auto& [name, value, changes] : tunedRows(target.tuning)) {
        out << std::format("    {:<44} {:<24} {}\n", name, value, changes);
    }
    out << "  plan at " << target.subgroupSize << " lanes:\n";
    for (const auto& [name, value, reason] : rewrite::devicePlan(target)) {
        out << std::format("    {:<44} {:<24} {}\n", name, value, reason);
    }
    out << "  because of faults of drivers:\n";
    for (const rewrite::DriverWorkaround& row : rewrite::driverWorkarounds()) {
        out << std::format("    {}, {}: {} ({}): {}\n", row.driver, row.versions, row.fault,
                           row.shownBy, row.instead);
    }
}

ordered_json rememberedList() {
    ordered_json list = ordered_json::array();
    for (const layer::RememberedFault& fault : layer::allFaults()) {
        list.push_back({{"program", fault.program},
                        {"device", fault.device},
                        {"extensions", layer::namesOf(fault.extensions)},
                        {"fault", layer::textOf(fault)}});
    }
    return list;
}

void printRemembered(std::ostream& out) {
    const auto faults = layer::allFaults();
    if (faults.empty()) return;
    out << "not offered to some programs, because of earlier starts (coopvk config --forget "
           "forgets them):\n";
    for (const layer::RememberedFault& fault : faults) {
        out << "  " << fault.program << " on " << fault.device << ": "
            << layer::namesOf(fault.extensions) << ", since " << layer::textOf(fault) << '\n';
    }
}

}  // namespace coopvk::tool
