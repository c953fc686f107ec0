// SPDX-License-Identifier: Apache-2.0
#include "report/dump.hpp"

#include "report/request_json.hpp"
#include "settings/settings.hpp"
#include "system/hash.hpp"

namespace coopvk::layer {
namespace {

using nlohmann::ordered_json;

constexpr int kOneLine = -1, kIndented = 2;

// What is not UTF-8 is replaced.
std::string textOf(const ordered_json& json, int form) {
    return json.dump(form, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

bool writeModule(const OutputFolder& folder, const std::string& stem,
                 std::span<const uint32_t> words) {
    const auto* bytes = reinterpret_cast<const char*>(words.data());
    return folder.write(stem + ".spv", {bytes, words.size_bytes()}) &&
           folder.write(stem + ".spvasm", rewrite::disassemble(words));
}

std::string stemOf(const std::string& original, const RecordedRequest& request,
                   const ordered_json& json) {
    const std::string text = textOf(json, kIndented);
    std::string stem = original;
    stem.append(".").append(rewrite::stageName(request.stage));
    stem.append(".s").append(std::to_string(request.target.subgroupSize));
    return stem.append(".").append(hexName(fnv1a(std::as_bytes(std::span(text)))));
}

// The request names no shader yet.
std::pair<std::string, ordered_json> nameAndJson(const ShaderWords& original,
                                                 RecordedRequest request,
                                                 const Settings& settings) {
    const std::string hash = hexName(original.hash);
    request.shader = hash + ".spv";
    ordered_json json = toJson(request);
    json["settings"] = {{"emulate", settings.emulateText}};
    json["rewriter"] = rewrite::version();
    std::string stem = stemOf(hash, request, json);
    return {std::move(stem), std::move(json)};
}

}  // namespace

ShaderDumps::ShaderDumps(const Settings& settings, Log& log) : settings_(settings), log_(log) {
    const std::string& path = settings.dumpDir;
    if (path.empty()) return;
    auto opened = OutputFolder::open(path);
    if (!opened) {
        log_.warn("cannot use dump folder '" + path + "': " + opened.error().message);
        return;
    }
    folder_.emplace(std::move(*opened));
    if (folder_->path() != path) {
        log_.warn("others can write to dump folder '" + path + "': shaders go to '" +
                  folder_->path() + "'");
    }
}

void ShaderDumps::warnOfFailure() noexcept {
    try {
        log_.warn("cannot write to dump folder '" + folder_->path() + "'");
    } catch (...) {
    }
}

DumpedRequest ShaderDumps::describe(const ShaderWords& original, RecordedRequest request) const {
    auto [name, json] = nameAndJson(original, std::move(request), settings_);
    return {std::move(name), textOf(json, kOneLine)};
}

void ShaderDumps::writeDispatch(const std::string& name, std::string_view json,
                                std::string_view bytes) {
    if (!folder_) return;
    const bool written =
        folder_->write(name + ".bin", bytes) && folder_->write(name + ".json", json);
    if (!written) warnOfFailure();
}

void ShaderDumps::write(const ShaderWords& original, RecordedRequest request,
                        std::span<const uint32_t> words, const std::string* refusal) noexcept {
    try {
        if (!folder_) return;
        const std::string hash = hexName(original.hash);
        auto [stem, json] = nameAndJson(original, std::move(request), settings_);
        if (refusal != nullptr) json["refused"] = *refusal;
        if (!words.empty()) json["output"] = stem + ".spv";
        if (!writeModule(*folder_, hash, original.words) ||
            !folder_->write(stem + ".json", textOf(json, kIndented)) ||
            (!words.empty() && !writeModule(*folder_, stem, words))) {
            warnOfFailure();
        }
    } catch (...) {
        log_.warn("cannot dump a shader");
    }
}

}  // namespace coopvk::layer
