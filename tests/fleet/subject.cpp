// SPDX-License-Identifier: Apache-2.0
#include "subject.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "shaders.hpp"

namespace coopvk::fleet {
namespace {

#include "fleet_shaders.inc"

// The specialization that the programs with this shader use.
struct Use {
    std::string_view prefix;  // of the shader's name
    std::vector<Constant> constants;
};

const Use kUses[] = {
    {"bench/gemm_", {{.id = 0, .perLane = 8}}},
    {"bench/nv_gemm_", {{.id = 0, .perLane = 8}}},
    {"bench/int_gemm_", {{.id = 0, .perLane = 8}}},
    {"bench/float_gemm_", {{.id = 0, .perLane = 8}}},
    {"bench/copy_", {{.id = 0, .perLane = 8}, {.id = 1, .perLane = 1}}},
    {"examples/", {{.id = 0, .perLane = 1}}},
    {"driver/", {{.id = 0, .perLane = 1}}},
    {"fleet/", {{.id = 0, .perLane = 1}}},
};

std::vector<Constant> constantsOf(const std::string& name) {
    for (const Use& use : kUses)
        if (name.starts_with(use.prefix)) return use.constants;
    return {};
}

void add(const std::string& name, std::span<const uint32_t> words, std::vector<Subject>& list) {
    list.push_back({name, {words.begin(), words.end()}, constantsOf(name), {}});
}

// A program's specialization, from the file beside the words.
void readUse(const std::filesystem::path& file, Subject& subject) {
    std::ifstream stream(file);
    if (!stream) return;
    const auto json = nlohmann::json::parse(stream);
    subject.size = json.value("subgroupSize", 0u);
    subject.constants.clear();
    for (const auto& row : json.value("constants", nlohmann::json::array()))
        subject.constants.push_back({.id = row.at(0).get<uint32_t>(),
                                     .fixed = row.at(1).get<uint64_t>(),
                                     .bytes = row.at(2).get<uint32_t>()});
}

}  // namespace

std::vector<Subject> builtInSubjects() {
    std::vector<Subject> list;
    for (const bench::Shader& shader : bench::builtInShaders())
        add("bench/" + std::string(shader.name), shader.words, list);
    for (const bench::Shader& shader : kFleetShaders)
        add(std::string(shader.name), shader.words, list);
    return list;
}

std::vector<Subject> subjectsIn(const std::string& folder, const std::string& prefix) {
    std::vector<Subject> list;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        std::filesystem::path file = entry.path();
        if (file.extension() != ".spv") continue;
        Subject& subject = list.emplace_back();
        subject.words = bench::readShader(file);
        const auto name = std::filesystem::relative(file, folder).replace_extension();
        subject.name = prefix + "/" + name.generic_string();
        subject.constants = constantsOf(subject.name);
        readUse(std::filesystem::path(file).replace_extension(".json"), subject);
    }
    std::ranges::sort(list, {}, &Subject::name);
    return list;
}

}  // namespace coopvk::fleet
