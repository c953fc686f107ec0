// SPDX-License-Identifier: Apache-2.0
#include "folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "../driver/harness/shader.hpp"
#include "execution/shader_text.hpp"

namespace coopvk::reference::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kMembers[] = {"what",      "size",    "groups", "lanes",        "settings",
                                    "constants", "buffers", "lists",  "unwritten",    "expected",
                                    "reports",   "counts",  "runs",   "expectedLists"};

// Files of GLSL, by their extension.
struct StageRow {
    const char* extension;
    VkShaderStageFlagBits stage;
    spv::ExecutionModel model;
};
using Model = spv::ExecutionModel;
constexpr StageRow kStages[] = {
    {"vert", VK_SHADER_STAGE_VERTEX_BIT, Model::Vertex},
    {"tesc", VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, Model::TessellationControl},
    {"tese", VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, Model::TessellationEvaluation},
    {"geom", VK_SHADER_STAGE_GEOMETRY_BIT, Model::Geometry},
    {"frag", VK_SHADER_STAGE_FRAGMENT_BIT, Model::Fragment},
    {"task", VK_SHADER_STAGE_TASK_BIT_EXT, Model::TaskEXT},
    {"mesh", VK_SHADER_STAGE_MESH_BIT_EXT, Model::MeshEXT},
    {"rgen", VK_SHADER_STAGE_RAYGEN_BIT_KHR, Model::RayGenerationKHR},
    {"rint", VK_SHADER_STAGE_INTERSECTION_BIT_KHR, Model::IntersectionKHR},
    {"rahit", VK_SHADER_STAGE_ANY_HIT_BIT_KHR, Model::AnyHitKHR},
    {"rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, Model::ClosestHitKHR},
    {"rmiss", VK_SHADER_STAGE_MISS_BIT_KHR, Model::MissKHR},
    {"rcall", VK_SHADER_STAGE_CALLABLE_BIT_KHR, Model::CallableKHR},
};

// Empty if there is no such file.
std::string contentsOf(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<uint32_t> wordsOf(const fs::path& folder, const Json& test, Model& stage) {
    for (const StageRow& row : kStages) {
        const std::string source = contentsOf(folder / (std::string("shader.") + row.extension));
        if (source.empty()) continue;
        stage = row.model;
        return coopvk::test::compileGlslStage(row.stage, source);
    }
    const std::string glsl = contentsOf(folder / "shader.comp");
    if (!glsl.empty()) return coopvk::test::compileGlsl(glsl, coopvk::test::Checked::kNo);
    const std::string whole = contentsOf(folder / "shader.spvasm");
    if (!whole.empty()) return assemble(whole);
    ShaderText text;
    text.body = contentsOf(folder / "main.spvasm");
    if (text.body.empty()) throw std::runtime_error("there is no shader");
    text.capabilities = contentsOf(folder / "capabilities.spvasm");
    text.declarations = contentsOf(folder / "declarations.spvasm");
    text.functions = contentsOf(folder / "functions.spvasm");
    text.annotations = contentsOf(folder / "annotations.spvasm");
    text.localSize = test.value("size", 4u);
    return assemble(shader(text));
}

std::map<uint32_t, std::vector<uint32_t>> buffersOf(const Json& all) {
    std::map<uint32_t, std::vector<uint32_t>> buffers;
    for (const auto& [binding, numbers] : all.items())
        for (const Json& number : numbers)
            buffers[uint32_t(std::stoul(binding))].push_back(
                number.is_number_float() ? bitsOf(number.get<float>()) : number.get<uint32_t>());
    return buffers;
}

std::map<std::string, std::vector<std::vector<uint32_t>>> listsOf(const Json& all) {
    std::map<std::string, std::vector<std::vector<uint32_t>>> lists;
    for (const auto& [name, invocations] : all.items())
        for (const Json& numbers : invocations)
            lists[name].push_back(buffersOf(Json{{"0", numbers}})[0]);
    return lists;
}

// The bytes of each buffer; not 0: written.
std::map<uint32_t, std::vector<uint8_t>> writtenOf(const Json& words, const FolderRun& run) {
    std::map<uint32_t, std::vector<uint8_t>> written;
    for (const auto& [binding, buffer] : run.execution.buffers) {
        if (!words.contains(std::to_string(binding))) continue;
        auto& bytes = written[binding] = std::vector<uint8_t>(buffer.size() * 4, 1);
        for (const size_t word : words.at(std::to_string(binding)).get<std::vector<size_t>>())
            std::fill_n(bytes.begin() + std::ptrdiff_t(word * 4), 4, uint8_t{0});
    }
    return written;
}

Settings settingsOf(const Json& all) {
    const auto variable = [](const std::string& name) { return "COOPVK_REFERENCE_" + name; };
    for (const auto& [name, value] : all.items())
        setenv(variable(name).c_str(), value.get<std::string>().c_str(), 1);
    const Result<Settings> settings = settingsFromEnvironment();
    for (const auto& [name, unused] : all.items()) unsetenv(variable(name).c_str());
    if (!settings) throw std::runtime_error(settings.error().message);
    return *settings;
}

FolderRun runOf(const Json& test, uint32_t lanes) {
    const Json none = Json::object();
    FolderRun run;
    run.execution.lanes = lanes;
    run.execution.groups = test.value("groups", run.execution.groups);
    run.execution.settings = settingsOf(test.value("settings", none));
    const Json constants = test.value("constants", none);
    for (const auto& [id, value] : constants.items())
        run.execution.specialization.push_back(
            {uint32_t(std::stoul(id)), value.get<uint32_t>(), sizeof(uint32_t)});
    run.execution.buffers = buffersOf(test.value("buffers", none));
    run.execution.written = writtenOf(test.value("unwritten", none), run);
    run.execution.lists = listsOf(test.value("lists", none));
    run.expected = buffersOf(test.value("expected", none));
    run.expectedLists = listsOf(test.value("expectedLists", none));
    run.counts = test.value("counts", run.counts);
    run.reports = test.value("reports", run.reports);
    return run;
}

void requireKnown(const Json& test) {
    for (const auto& [name, unused] : test.items())
        if (std::ranges::find(kMembers, name) == std::end(kMembers))
            throw std::runtime_error("test.json has an unknown member: " + name);
}

}  // namespace

std::vector<std::string> testFolders() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(COOPVK_FOLDERS))
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

FolderTest readFolder(const std::string& name) {
    const fs::path folder = fs::path(COOPVK_FOLDERS) / name;
    const Json test = Json::parse(contentsOf(folder / "test.json"));
    requireKnown(test);
    FolderTest result;
    result.words = wordsOf(folder, test, result.stage);
    for (const Json& each : test.value("runs", Json::array({Json::object()}))) {
        requireKnown(each);
        Json merged = test;
        merged.update(each);
        for (const uint32_t lanes : merged.value("lanes", std::vector<uint32_t>{4}))
            result.runs.emplace_back(runOf(merged, lanes)).execution.stage = result.stage;
    }
    return result;
}

}  // namespace coopvk::reference::test
