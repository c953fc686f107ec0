// SPDX-License-Identifier: Apache-2.0
#include "compare/tune/session.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "advise/measure.hpp"
#include "compare/tune/measure.hpp"
#include "compare/tune/works.hpp"
#include "device/physical_device.hpp"
#include "device/tuning.hpp"
#include "devices.hpp"
#include "json_text.hpp"
#include "settings/settings.hpp"
#include "system/read_text.hpp"
#include "system/system.hpp"
#include "whole_file.hpp"

namespace coopvk::tune {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Seconds of a measurement, before it counts as hung. Drivers of CPUs compile for long.
constexpr double kLimit = 90, kLimitOfCpu = 300;
constexpr double kForTheLast = 0.1;     // of the time is kept for the last comparison
constexpr size_t kMaxPart = 16u << 20;  // bytes

// As the layer makes them of a shader of the work (layer/shaders/stage_rewriter.cpp).
rewrite::Target targetOf(const layer::PhysicalDeviceContext& assessed, const TuneWork& work,
                         const std::string& tuning) {
    rewrite::Target target;
    target.device = assessed.facts.traits;
    target.subgroupSize = target.device.subgroupSize;
    target.emulated = {work.extension};
    target.nativeFeatures = assessed.nativeFeatures;
    if (!assessed.nativeMatrices) target.backEnd = rewrite::BackEnd::kCore;
    if (const auto read = rewrite::matrixTuningFromText(tuning))
        target.tuning = layer::choicesAt(*read, target.subgroupSize);
    return target;
}

layer::PhysicalDeviceContext assess(const layer::DeviceFacts& facts, rewrite::Extension extension) {
    layer::system::setVariable("COOPVK_EMULATE", std::string(rewrite::info(extension).vulkanName));
    layer::system::setVariable("COOPVK_BACK_END", "auto");
    layer::system::setVariable("COOPVK_AS", "own");
    std::vector<std::string> complaints;
    return layer::assessDevice(layer::loadSettings(nullptr, complaints), facts);
}

std::optional<std::vector<uint32_t>> rewritten(const layer::PhysicalDeviceContext& assessed,
                                               const TuneWork& work, const std::string& tuning) {
    if (!assessed.emulated.contains(work.extension)) return std::nullopt;
    const rewrite::Target target = targetOf(assessed, work, tuning);
    const uint32_t threads = 4 * target.subgroupSize;
    const rewrite::SpecializationEntry entry = {0, std::as_bytes(std::span(&threads, 1))};
    rewrite::Request request;
    request.words = work.words;
    if (work.isOfSubgroups) request.specialization = std::span(&entry, 1);
    auto result = rewrite::rewrite(request, target);
    if (!result) return std::nullopt;
    return std::move(result->words);
}

tool::Side sideOf(const ordered_json& figures) {
    tool::Side side;
    side.figures = figures.get<std::vector<double>>();
    if (side.figures.empty()) throw std::runtime_error("no figures");
    return side;
}

// Throws nlohmann's exceptions where it is none.
Measured measuredFrom(const ordered_json& json) {
    Measured measured{.failure = json.value("failure", "")};
    for (const ordered_json& work : json.value("works", ordered_json::array()))
        measured.works.push_back({work.at("name"), work.at("isRight"), work.at("baseIsRight"),
                                  sideOf(work.at("base")), sideOf(work.at("candidate")),
                                  work.at("operations")});
    return measured;
}

std::string nameOf(const Trial& trial) {
    return trial.base + " | " + trial.candidate + " | " + std::to_string(trial.repeat);
}

ordered_json worksJson(const Measured& measured) {
    ordered_json list = ordered_json::array();
    for (const WorkFigures& work : measured.works) {
        const auto speed = [&](const tool::Side& side) {
            return std::round(work.operations / tool::median(side.figures) * 1e-6) * 1e-3;
        };
        list.push_back({{"name", work.name},
                        {"times", tool::speedup(work.candidate, work.base, {" s", false})},
                        {"GFLOP/s", speed(work.base)},
                        {"tuned GFLOP/s", speed(work.candidate)}});
    }
    return list;
}

}  // namespace

TuneSession::TuneSession(const TuneOptions& options) : options_(options) {
    auto devices = tool::queryDevices();
    if (!devices) throw std::runtime_error(devices.error().message);
    if (options.device >= devices->size())
        throw std::runtime_error("there is no device " + std::to_string(options.device));
    facts_ = (*devices)[options.device].facts;
    driver_ = (*devices)[options.device].driver;
    key_ = layer::profileKey(facts_);
    path_ = layer::profilePath(facts_);
    if (path_.empty()) throw std::runtime_error(layer::system::kNoUserFolder);
    part_ = path_.string() + ".part";
    if (std::ranges::none_of(wordsFor(""), [](const auto& words) { return words.has_value(); }))
        throw std::runtime_error("coopvk can rewrite no shader of the measurements for it");
    if (options.resume) readPart();
}

double TuneSession::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

// What another version, driver or device left is of no use.
void TuneSession::readPart() {
    const auto text = layer::readText(part_, kMaxPart);
    const auto json = ordered_json::parse(text.value_or(""), nullptr, false);
    if (!json.is_object() || json.value("key", ordered_json()) != key_) return;
    const ordered_json all = json.value("measured", ordered_json::object());
    for (const auto& [name, measured] : all.items()) {
        try {
            measuredFrom(measured);
            measured_[name] = measured;
        } catch (const std::exception&) {  // it is measured again
        }
    }
}

const TuneSession::WordsOfWorks& TuneSession::wordsFor(const std::string& tuning) {
    const auto [place, isNew] = words_.try_emplace(tuning);
    if (!isNew) return place->second;
    std::map<rewrite::Extension, layer::PhysicalDeviceContext> assessed;
    for (const TuneWork& work : tuneWorks()) {
        auto found = assessed.find(work.extension);
        if (found == assessed.end())
            found = assessed.emplace(work.extension, assess(facts_, work.extension)).first;
        place->second.push_back(rewritten(found->second, work, tuning));
    }
    return place->second;
}

std::vector<uint32_t> TuneSession::changedWorks(const std::string& base,
                                                const std::string& candidate) {
    const WordsOfWorks& before = wordsFor(base);
    const WordsOfWorks& after = wordsFor(candidate);
    std::vector<uint32_t> changed;
    for (uint32_t i = 0; i < before.size(); ++i)
        if (before[i] && before[i] != after[i]) changed.push_back(i);
    return changed;
}

bool TuneSession::areAlike(const std::string& base, const std::string& candidate) {
    return changedWorks(base, candidate).empty();
}

// Nothing: it did not end in that time, and there is no more.
std::optional<Measured> TuneSession::start(const Trial& trial, double left) {
    const double most = facts_.traits.isCpu ? kLimitOfCpu : kLimit;
    const MeasureRequest request = {.device = options_.device,
                                    .isCpu = facts_.traits.isCpu,
                                    .base = trial.base,
                                    .candidate = trial.candidate,
                                    .works = changedWorks(trial.base, trial.candidate),
                                    .sample = facts_.traits.isCpu ? 0.005 : 0.02};
    const tool::Run run = tool::runOnce(
        {layer::system::programFile().string(), "tune", "--measure", jsonOf(request).dump()}, {},
        {}, std::min(left, most));
    auto json = tool::markedObject(run, kMeasuredMark);
    const bool failed = !json || !run.failure.empty();
    if (failed && left < most && run.seconds >= left) return std::nullopt;
    if (failed) json = ordered_json::object({{"failure", tool::withoutResult(run)}});
    measured_[nameOf(trial)] = *json;
    write(part_, {{"key", key_}, {"measured", measured_}});
    return measuredFrom(*json);
}

std::optional<Measured> TuneSession::measure(const Trial& trial) {
    if (const auto known = measured_.find(nameOf(trial)); known != measured_.end())
        return measuredFrom(*known);
    const bool isFinal = trial.repeat == kFinal;
    const double left = options_.seconds * (isFinal ? 1 : 1 - kForTheLast) - seconds();
    auto measured = left > 0 ? start(trial, left) : std::nullopt;
    if (!measured && isFinal) measured = Measured{.failure = "the time was up"};
    return measured;
}

void TuneSession::add(const Trial& trial) {
    tried_.push_back({{"choices", trial.candidate},
                      {"in place of", trial.base},
                      {"result", tune::nameOf(trial.judgement.gain)},
                      {"times", trial.judgement.times},
                      {"why", trial.judgement.why}});
}

bool TuneSession::write(const fs::path& path, const ordered_json& json) const {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    return tool::replaceFile(path, tool::jsonText(json, 1));
}

bool TuneSession::writeProfile(const Found& found) {
    ordered_json json = key_;
    json["driver"] = driver_;
    json[std::string(layer::kTuningKey)] = found.tuning;
    json["works"] = worksJson(found.final);
    json["complete"] = found.isWhole;
    json["tried"] = tried_;
    if (!write(path_, json)) return false;
    std::error_code error;
    fs::remove(part_, error);
    return true;
}

}  // namespace coopvk::tune
