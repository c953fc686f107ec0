// SPDX-License-Identifier: Apache-2.0
//
// `coopvk probe`: which invocation holds which element of a driver's matrices, whether that is a
// layout that coopvk knows, and how they add products.
#include <algorithm>
#include <format>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "compare/compare_commands.hpp"
#include "compare/probe/element_map.hpp"
#include "compare/probe/sums.hpp"
#include "coopvk_reference/unit_sums.hpp"
#include "json_text.hpp"
#include "layer_location.hpp"

namespace coopvk::tool {
namespace {

using compare::ReadMap;
using nlohmann::ordered_json;

struct ProbeOptions {
    uint32_t device = 0;
    bool emulated = false;
    bool all = false;
    std::string json;
    std::optional<compare::SumsOptions> sums;
    bool ptx = false;
};

// A line for each of the first lanes, or for all.
void printMap(const ReadMap& map, bool all) {
    if (const std::string bits = compare::bitsOf(map); !bits.empty())
        std::cout << "    " << bits << '\n';
    const uint32_t shown = all ? map.lanes : std::min(map.lanes, 5u);
    for (uint32_t lane = 0; lane < shown; ++lane) {
        std::cout << std::format("    lane {:2}:", lane);
        const uint32_t elements = all ? map.length : std::min(map.length, 8u);
        for (uint32_t e = 0; e < elements; ++e) {
            const auto [row, column] = map.positions[lane * map.length + e];
            std::cout << std::format(" ({},{})", row, column);
        }
        std::cout << (elements < map.length ? " ...\n" : "\n");
    }
}

int probeSums(compare::ProductDevice& device, const ProbeOptions& options) {
    compare::SumsOptions sums = *options.sums;
    sums.json = options.json;
    try {
        return compare::probeSums(device, sums) ? kAgree : kDiffer;
    } catch (const std::exception& error) {
        std::cerr << "coopvk: " << error.what() << '\n';
        return kCouldNotRun;
    }
}

int probePtx(const ProbeOptions& options) {
    try {
        const auto products = compare::ptxProducts(options.device);
        std::cout << products->name() << '\n';
        return probeSums(*products, options);
    } catch (const std::exception& error) {
        std::cerr << "coopvk: " << error.what() << '\n';
        return kCouldNotRun;
    }
}

int probe(const ProbeOptions& options) {
    if (options.emulated) addLayerToSearchPath();
    compare::GpuOptions asked;
    asked.index = options.device;
    asked.extension = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    const compare::SideKind side =
        options.emulated ? compare::SideKind::kEmulated : compare::SideKind::kNative;
    compare::Gpu gpu(side, asked);
    if (!gpu.hasExtension()) {
        std::cerr << "coopvk: " << gpu.name() << " has no VK_KHR_cooperative_matrix"
                  << (options.emulated ? "" : " of its own (--emulated reads coopvk's)") << '\n';
        return kCouldNotRun;
    }
    const uint32_t lanes = gpu.properties11.subgroupSize;
    ordered_json json = {{"device", gpu.name()}, {"subgroupSize", lanes}, {"matrices", {}}};
    std::cout << gpu.name() << ", subgroups of " << lanes << '\n';
    if (options.sums) return probeSums(*compare::matrixProducts(gpu, options.emulated), options);
    int status = 0;
    for (const ReadMap& map : compare::readMaps(gpu)) {
        json["matrices"].push_back(compare::jsonOf(map, compare::Positions::kAlways));
        std::cout << "  " << compare::nameOf(map.type) << ": ";
        if (!map.why.empty()) {
            std::cout << "not read: " << map.why << '\n';
            status = kDiffer;
            continue;
        }
        const auto layouts = compare::layoutsLike(map);
        std::cout << std::format("{} elements each, layout: {}\n", map.length,
                                 compare::listed(layouts));
        if (layouts.empty() || options.all) printMap(map, options.all);
    }
    if (options.json.empty()) return status;
    std::ofstream file(options.json);
    file << jsonText(json, 1);
    if (file.flush()) return status;
    std::cerr << "coopvk: cannot write " << options.json << '\n';
    return kCouldNotRun;
}

}  // namespace

void addProbeCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "probe", "Read which invocation holds which element of a driver's matrices");
    auto options = std::make_shared<ProbeOptions>();
    command->add_option("-d,--device", options->device, "The device's number");
    command->add_flag("--emulated", options->emulated, "Of the matrices that coopvk emulates");
    command->add_flag("--all", options->all, "Print every element of every invocation");
    command->add_option("--json", options->json, "Also write what was read to this file");
    auto sums = std::make_shared<compare::SumsOptions>();
    CLI::Option* asks = command->add_option("--sums", sums->unit,
                                            "How they add products: compare many with those of "
                                            "ada, hopper, cdna3, rdna4, or of any");
    asks->expected(0, 1)->check(CLI::IsMember(reference::unitNames()));
    command->add_option("--count", sums->sums, "At least so many sums of each row")->needs(asks);
    command->add_option("--seed", sums->seed, "Chooses the numbers")->needs(asks);
    command->add_option("--record", sums->record, "Write operands and results to this file")
        ->needs(asks);
    command
        ->add_flag("--ptx", options->ptx,
                   "Of NVIDIA's instructions, also for types that Vulkan's driver does not list")
        ->needs(asks);
    command->callback([options, sums, asks, &status] {
        if (*asks) options->sums = *sums;
        status = options->ptx ? probePtx(*options) : probe(*options);
    });
}

}  // namespace coopvk::tool
