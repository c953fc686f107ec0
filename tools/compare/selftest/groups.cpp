// SPDX-License-Identifier: Apache-2.0
#include "compare/selftest/groups.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>

#include "compare/cases/grids.hpp"
#include "compare/probe/element_map.hpp"
#include "compare/report/report.hpp"
#include "compare/run/comparison.hpp"
#include "compare/selftest/shader_device.hpp"
#include "compare/selftest/shader_groups.hpp"
#include "system/text.hpp"

namespace coopvk::compare {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

void runCase(Comparison& comparison, size_t number, Part& part) {
    const Plan plan = comparison.planOf(number);
    const auto outcomes = comparison.runSides(number, plan);
    const Verdict verdict = comparison.verdictOf(number, plan, outcomes);
    ++part.cases;
    if (verdict.status == Status::kAgree)
        ++part.agreed;
    else
        part.differing.push_back(verdict.subject->name + ": " + describe(verdict));
}

// Cases at even distances, so that all kinds occur; the same again if the time is up before the
// end.
void runCases(Comparison& comparison, uint32_t cases, double seconds, Part& part) {
    constexpr size_t kTurns = 8;
    const Clock::time_point start = Clock::now();
    const auto& chosen = comparison.chosen();
    const size_t step = std::max<size_t>(1, chosen.size() / cases);
    for (size_t turn = 0; turn < kTurns; ++turn) {
        for (size_t i = turn * step; i < chosen.size(); i += kTurns * step) {
            const std::chrono::duration<double> spent = Clock::now() - start;
            if (part.cases > 0 && spent.count() > seconds) return;
            runCase(comparison, chosen[i], part);
        }
    }
}

void runComparison(uint32_t device, uint32_t cases, double seconds, Part& part) {
    Options asked;
    asked.extension = part.group.extension;
    asked.backEnd = part.group.backEnd;
    asked.device = device;
    asked.sides = Sides::kEmulated;
    asked.quick = asked.quiet = true;
    Comparison comparison(asked);
    runCases(comparison, cases, seconds, part);
}

void runShader(uint32_t device, Part& part) {
    const TestShader* shader = testShader(part.group.extension);
    if (shader == nullptr) throw std::runtime_error("there is no test of it alone");
    ShaderDevice gpu(device, shader->extensions, part.group.backEnd);
    try {
        const bool agrees = agreesWithReference(*shader, gpu);
        part.agreed = agrees ? 1 : 0;
        if (!agrees) part.differing.emplace_back("it gives other numbers than the reference");
    } catch (const vulkan::Error& error) {  // such as a shader that coopvk or the driver refuses
        part.differing.emplace_back(error.what());
    }
    part.cases = 1;
}

void runSpeeds(uint32_t device, Part& part) {
    for (const SpeedTest& test : speedTests())
        part.speeds.emplace_back(test.name, speedOf(test.shader, device, "auto"));
}

void runLayouts(uint32_t device, Part& part) {
    GpuOptions asked;
    asked.index = device;
    asked.extension = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    Gpu gpu(SideKind::kNative, asked);
    if (!gpu.hasExtension()) throw std::runtime_error("the driver has no matrices");
    part.layouts = ordered_json::array();
    for (const ReadMap& map : readMaps(gpu))
        part.layouts.push_back(jsonOf(map, Positions::kIfUnknown));
}

}  // namespace

bool hasCases(std::string_view extension) {
    const auto names = comparedExtensions();
    return std::ranges::find(names, extension) != names.end();
}

ordered_json jsonOf(const Part& part) {
    ordered_json json = {{"extension", part.group.extension}, {"backEnd", part.group.backEnd}};
    if (!part.why.empty()) json["notRun"] = part.why;
    for (const auto& [name, speed] : part.speeds) json["speeds"][name] = speed;
    if (!part.layouts.is_null()) json["layouts"] = part.layouts;
    if (!part.why.empty() || !part.speeds.empty() || !part.layouts.is_null()) return json;
    json["cases"] = part.cases;
    json["agreed"] = part.agreed;
    json["seconds"] = part.seconds;
    json["differing"] = part.differing;
    return json;
}

Part partFrom(const ordered_json& json) {
    Part part;
    part.group = {json.value("extension", ""), json.value("backEnd", "")};
    part.why = json.value("notRun", "");
    part.cases = json.value("cases", size_t{0});
    part.agreed = json.value("agreed", size_t{0});
    part.seconds = json.value("seconds", 0.0);
    part.differing = json.value("differing", std::vector<std::string>());
    part.layouts = json.value("layouts", ordered_json());
    const ordered_json speeds = json.value("speeds", ordered_json::object());
    for (const auto& [name, speed] : speeds.items())
        if (speed.is_number()) part.speeds.emplace_back(name, speed.get<double>());
    return part;
}

void runGroup(std::string_view name, uint32_t device, uint32_t cases, double seconds) {
    Part part;
    part.group.extension = layer::takeUntil(',', name);
    part.group.backEnd = name;
    const Clock::time_point start = Clock::now();
    try {
        if (part.group.extension == kSpeed)
            runSpeeds(device, part);
        else if (part.group.extension == kLayouts)
            runLayouts(device, part);
        else if (hasCases(part.group.extension))
            runComparison(device, cases, seconds, part);
        else
            runShader(device, part);
    } catch (const std::exception& error) {
        part.why = error.what();
    }
    part.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const ordered_json json = jsonOf(part);
    std::cout << kPartMark << json.dump(-1, ' ', true, ordered_json::error_handler_t::replace)
              << std::endl;
}

}  // namespace coopvk::compare
