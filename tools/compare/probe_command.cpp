// SPDX-License-Identifier: Apache-2.0
//
// `coopvk probe`: which invocation holds which element of a driver's matrices, whether that is a
// layout that coopvk knows, and how they add products.
#include <algorithm>
#include <format>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "compare/cases/matrix_rows.hpp"
#include "compare/compare_commands.hpp"
#include "compare/probe/element_map.hpp"
#include "compare/probe/sums.hpp"
#include "compare/run/runner.hpp"
#include "coopvk_reference/unit_sums.hpp"
#include "layer_location.hpp"

namespace coopvk::tool {
namespace {

using compare::MatrixType;
using compare::ReadMap;
using nlohmann::ordered_json;

struct ProbeOptions {
    uint32_t device = 0;
    bool emulated = false;
    bool all = false;
    std::string json;
    std::optional<compare::SumsOptions> sums;
};

std::string listed(std::span<const std::string_view> names) {
    std::string text;
    for (const std::string_view name : names)
        text += (text.empty() ? "" : ", ") + std::string(name);
    return text.empty() ? "none that coopvk knows" : text;
}

// A line for each of the first lanes, or for all.
void printMap(const ReadMap& map, uint32_t lanes, bool all) {
    const uint32_t shown = all ? lanes : std::min(lanes, 5u);
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

ordered_json jsonOf(const ReadMap& map, uint32_t lanes) {
    ordered_json json = {{"matrix", compare::nameOf(map.type)}};
    if (!map.why.empty()) {
        json["notRead"] = map.why;
        return json;
    }
    json["length"] = map.length;
    json["layouts"] = compare::layoutsLike(map, lanes);
    json["positions"] = map.positions;
    return json;
}

// The types of the rows that the device lists, each once.
std::vector<MatrixType> typesOf(const compare::Gpu& gpu, bool emulated) {
    const compare::MatrixRows rows = compare::matrixRows(
        compare::Dialect::kKhr, emulated ? nullptr : &gpu, emulated ? &gpu : nullptr);
    std::vector<MatrixType> types;
    const auto add = [&](const MatrixType& type) {
        if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    };
    for (const compare::MatrixRow& row : rows.rows) {
        add({row.a, row.m, row.k, compare::Use::kA});
        add({row.b, row.k, row.n, compare::Use::kB});
        add({row.result, row.m, row.n, compare::Use::kAccumulator});
    }
    return types;
}

int probeSums(compare::Gpu& gpu, const ProbeOptions& options) {
    compare::SumsOptions sums = *options.sums;
    sums.json = options.json;
    try {
        return compare::probeSums(gpu, options.emulated, sums) ? kAgree : kDiffer;
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
    if (options.sums) return probeSums(gpu, options);
    compare::Runner runner(gpu);
    int status = 0;
    for (const MatrixType& type : typesOf(gpu, options.emulated)) {
        const ReadMap map = compare::readMap(runner, type, lanes);
        json["matrices"].push_back(jsonOf(map, lanes));
        std::cout << "  " << compare::nameOf(type) << ": ";
        if (!map.why.empty()) {
            std::cout << "not read: " << map.why << '\n';
            status = kDiffer;
            continue;
        }
        const std::vector<std::string_view> names = compare::layoutsLike(map, lanes);
        std::cout << std::format("{} elements each, layout: {}\n", map.length, listed(names));
        if (names.empty() || options.all) printMap(map, lanes, options.all);
    }
    if (options.json.empty()) return status;
    std::ofstream file(options.json);
    file << json.dump(1) << '\n';
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
    command->callback([options, sums, asks, &status] {
        if (*asks) options->sums = *sums;
        status = probe(*options);
    });
}

}  // namespace coopvk::tool
