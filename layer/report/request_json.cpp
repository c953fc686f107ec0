// SPDX-License-Identifier: Apache-2.0
#include "report/request_json.hpp"

#include "report/hex.hpp"
#include "report/traits_json.hpp"
#include "settings/settings.hpp"

namespace coopvk::layer {
namespace {

using nlohmann::ordered_json;
using rewrite::Error;
using rewrite::ErrorCode;
using rewrite::Result;

Error wrongRequest(const std::string& what) {
    return {ErrorCode::kInvalidArgument, "request: " + what};
}

ordered_json specializationJson(const RecordedRequest& request) {
    if (!request.specialization) return nullptr;
    ordered_json list = ordered_json::array();
    for (const RecordedConstant& constant : *request.specialization) {
        list.push_back({{"constantId", constant.constantId}, {"bytes", hexText(constant.bytes)}});
    }
    return list;
}

ordered_json emulatedJson(rewrite::ExtensionSet emulated) {
    ordered_json list = ordered_json::array();
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (emulated.contains(info.extension)) list.push_back(info.vulkanName);
    }
    return list;
}

// Extension to bits of its features.
ordered_json featuresJson(const rewrite::ExtensionFeatures& features) {
    ordered_json object = ordered_json::object();
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        const uint32_t bits = features[info.extension];
        if (bits != 0) object[std::string(info.vulkanName)] = bits;
    }
    return object;
}

// A value of the right type, or null.
const ordered_json* find(const ordered_json& json, const char* key, ordered_json::value_t type) {
    const auto found = json.find(key);
    return found != json.end() && found->type() == type ? &*found : nullptr;
}

const std::string* findText(const ordered_json& json, const char* key) {
    const auto* found = find(json, key, ordered_json::value_t::string);
    return found == nullptr ? nullptr : found->get_ptr<const std::string*>();
}

std::optional<uint32_t> findNumber(const ordered_json& json, const char* key) {
    const auto* found = find(json, key, ordered_json::value_t::number_unsigned);
    if (found == nullptr || found->get<uint64_t>() > UINT32_MAX) return std::nullopt;
    return found->get<uint32_t>();
}

std::optional<rewrite::Stage> stageFrom(std::string_view name) {
    for (uint32_t bit = 1; bit <= static_cast<uint32_t>(rewrite::Stage::kCallable); bit <<= 1) {
        const auto stage = static_cast<rewrite::Stage>(bit);
        if (rewrite::stageName(stage) == name) return stage;
    }
    return std::nullopt;
}

bool readSpecialization(const ordered_json& json, RecordedRequest& request) {
    const auto found = json.find("specialization");
    if (found == json.end()) return false;
    if (found->is_null()) return true;
    if (!found->is_array()) return false;
    auto& list = request.specialization.emplace();
    for (const ordered_json& row : *found) {
        const auto id = findNumber(row, "constantId");
        const auto* bytes = findText(row, "bytes");
        if (!id || bytes == nullptr) return false;
        list.push_back({*id, {}});
        if (!readHex(*bytes, list.back().bytes)) return false;
    }
    return true;
}

bool readEmulated(const ordered_json& json, rewrite::ExtensionSet& emulated) {
    const auto* list = find(json, "emulated", ordered_json::value_t::array);
    if (list == nullptr) return false;
    emulated = {};
    for (const ordered_json& name : *list) {
        if (!name.is_string()) return false;
        const auto extension = rewrite::extensionFromVulkanName(name.get<std::string>());
        if (!extension) return false;
        emulated.insert(*extension);
    }
    return true;
}

bool readNative(const ordered_json& json, rewrite::ExtensionFeatures& native) {
    const auto* found = find(json, "native", ordered_json::value_t::object);
    if (found == nullptr) return false;
    native = {};
    for (const auto& [name, unused] : found->items()) {
        const auto extension = rewrite::extensionFromVulkanName(name);
        const auto bits = findNumber(*found, name.c_str());
        if (!extension || !bits) return false;
        native[*extension] = *bits;
    }
    return true;
}

// Dumps of earlier versions have none.
bool readLayout(const ordered_json& json, const char* key, rewrite::ElementLayout& layout) {
    if (!json.contains(key)) return true;
    const auto* text = findText(json, key);
    const auto read = text == nullptr ? std::nullopt : rewrite::elementLayoutFromName(*text);
    layout = read.value_or(layout);
    return read.has_value();
}
bool readReplacesLayout(const ordered_json& json, rewrite::Target& target) {
    const auto replaces = json.value("replacesLayout", ordered_json(false));
    if (replaces.is_boolean()) target.replacesLayout = replaces.get<bool>();
    return replaces.is_boolean();
}
bool readLayouts(const ordered_json& json, rewrite::Target& target) {
    return readLayout(json, "elementLayout", target.elementLayout) &&
           readLayout(json, "programLayout", target.programLayout) &&
           readReplacesLayout(json, target);
}

// Nor these.
bool readNumerics(const ordered_json& json, rewrite::Target& target) {
    if (!json.contains("numerics")) return true;
    const auto* text = findText(json, "numerics");
    const auto read = text == nullptr ? std::nullopt : rewrite::numericsFromName(*text);
    target.numerics = read.value_or(target.numerics);
    return read.has_value();
}

bool readTuning(const ordered_json& json, rewrite::MatrixTuning& tuning) {
    if (!json.contains("tuning")) return true;
    const auto* text = findText(json, "tuning");
    if (text == nullptr) return false;
    const auto read = rewrite::matrixTuningFromText(*text);
    if (read) tuning = *read;
    return bool(read);
}

bool readChoices(const ordered_json& json, rewrite::Target& target) {
    return readNumerics(json, target) && readTuning(json, target.tuning);
}

}  // namespace

ordered_json toJson(const RecordedRequest& request) {
    return {{"shader", request.shader},
            {"stage", rewrite::stageName(request.stage)},
            {"entryPoint", request.entryPoint},
            {"subgroupSize", request.target.subgroupSize},
            {"specialization", specializationJson(request)},
            {"emulated", emulatedJson(request.target.emulated)},
            {"native", featuresJson(request.target.nativeFeatures)},
            {"addsShapes", request.target.addsShapes},
            {"indexes64Bits", request.target.indexes64Bits},
            {"needsFullSubgroups", request.target.needsFullSubgroups},
            {"backEnd", backEndName(request.target.backEnd)},
            {"elementLayout", rewrite::elementLayoutName(request.target.elementLayout)},
            {"programLayout", rewrite::elementLayoutName(request.target.programLayout)},
            {"numerics", rewrite::numericsName(request.target.numerics)},
            {"replacesLayout", request.target.replacesLayout},
            {"tuning", rewrite::tuningText(request.target.tuning)},
            {"validate", request.validate},
            {"lines", request.lines},
            {"rewriteLimit", request.maxSteps},
            {"device", toJson(request.target.device)}};
}

Result<RecordedRequest> requestFromJson(const ordered_json& json) {
    if (!json.is_object()) return wrongRequest("no JSON object");
    RecordedRequest request;
    const auto* shader = findText(json, "shader");
    if (shader == nullptr) return wrongRequest("no 'shader'");
    request.shader = *shader;
    const auto* stageName = findText(json, "stage");
    const auto stage = stageName == nullptr ? std::nullopt : stageFrom(*stageName);
    if (!stage) return wrongRequest("'stage' is no shader stage");
    request.stage = *stage;
    const auto* entryPoint = findText(json, "entryPoint");
    if (entryPoint == nullptr) return wrongRequest("no 'entryPoint'");
    request.entryPoint = *entryPoint;
    const auto size = findNumber(json, "subgroupSize");
    if (!size) return wrongRequest("'subgroupSize' is no number");
    request.target.subgroupSize = *size;
    if (!readSpecialization(json, request))
        return wrongRequest("'specialization' is no list of bytes");
    if (!readEmulated(json, request.target.emulated)) {
        return wrongRequest("'emulated' is no list of extensions that coopvk knows");
    }
    if (!readNative(json, request.target.nativeFeatures)) {
        return wrongRequest("'native' is no object of extensions that coopvk knows, with numbers");
    }
    const auto* addsShapes = find(json, "addsShapes", ordered_json::value_t::boolean);
    if (addsShapes == nullptr) return wrongRequest("'addsShapes' is no boolean");
    request.target.addsShapes = addsShapes->get<bool>();
    // Dumps of earlier versions have none.
    const auto indexes64Bits = json.value("indexes64Bits", ordered_json(false));
    if (!indexes64Bits.is_boolean()) return wrongRequest("'indexes64Bits' is no boolean");
    request.target.indexes64Bits = indexes64Bits.get<bool>();
    request.target.needsFullSubgroups = json.value("needsFullSubgroups", ordered_json()) == true;
    const auto* backEndText = findText(json, "backEnd");
    const auto backEnd = rewrite::backEndFromName(backEndText == nullptr ? "" : *backEndText);
    if (!backEnd) return wrongRequest("'backEnd' is no back-end");
    request.target.backEnd = *backEnd;
    if (!readLayouts(json, request.target)) return wrongRequest("unknown layout of elements");
    if (!readChoices(json, request.target)) return wrongRequest("unknown numerics or tuning");
    request.validate = json.value("validate", ordered_json()) == true;
    const auto lines = json.value("lines", ordered_json(false));
    if (!lines.is_boolean()) return wrongRequest("'lines' is no boolean");
    request.lines = lines.get<bool>();
    const auto limit = json.value("rewriteLimit", ordered_json(rewrite::kMaxSteps));
    if (!limit.is_number_unsigned()) return wrongRequest("'rewriteLimit' is no number");
    request.maxSteps = limit.get<uint64_t>();
    auto traits = traitsFromJson(json.value("device", ordered_json()));
    if (!traits) return traits.error();
    request.target.device = std::move(*traits);
    return request;
}

Error invalidOutput(const std::string& message) {
    return {ErrorCode::kUnsupported, "the output is not valid: " + message};
}

}  // namespace coopvk::layer
