// SPDX-License-Identifier: Apache-2.0
//
// The files that the layer dumps for a shader suffice to repeat its rewrite.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fakes/shader_routes.hpp"
#include "report/request_json.hpp"
#include "report/traits_json.hpp"

namespace coopvk::test::dumps_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

class Dumps : public ShaderRoutes {
 protected:
    Dumps() {
        stop();
        setenv("COOPVK_DUMP_DIR", folder.c_str(), 1);
        start();
    }
    ~Dumps() override {
        unsetenv("COOPVK_DUMP_DIR");
        fs::remove_all(folder.parent_path());
    }

    std::vector<fs::path> filesOf(const std::string& extension) const {
        std::vector<fs::path> files;
        if (!fs::exists(folder)) return files;
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() == extension) files.push_back(entry.path());
        }
        return files;
    }
    static Words readWords(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        Words words(bytes.size() / 4);
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(words.data()));
        return words;
    }
    // The only one.
    ordered_json readRequest() const {
        const auto files = filesOf(".json");
        EXPECT_EQ(files.size(), 1u);
        return files.empty() ? ordered_json() : ordered_json::parse(std::ifstream(files[0]));
    }
    // Rewrites the request that the files describe.
    rewrite::Result<rewrite::Rewritten> repeat(const ordered_json& json) const {
        const auto recorded = layer::requestFromJson(json);
        EXPECT_TRUE(recorded) << recorded.error().message;
        const Words words = readWords(folder / recorded->shader);
        EXPECT_EQ(words, matrix);
        std::vector<rewrite::SpecializationEntry> entries;
        for (const auto& constant : *recorded->specialization) entries.push_back(constant.entry());
        rewrite::Request request;
        request.words = words;
        request.stage = recorded->stage;
        request.entryPoint = recorded->entryPoint;
        request.specialization = entries;
        request.maxSteps = recorded->maxSteps;
        return rewrite::rewrite(request, recorded->target);
    }
    // The log's line of a stage that is refused.
    std::string refuse(const VkPipelineShaderStageCreateInfo& stage) {
        testing::internal::CaptureStderr();
        EXPECT_LT(makeCompute(stage), 0);
        return testing::internal::GetCapturedStderr();
    }

    const fs::path folder =
        fs::temp_directory_path() / ("coopvk-dumps-test-" + std::to_string(getpid())) / "shaders";
};

TEST_F(Dumps, WhatWasRewritten) {
    const uint32_t rows = 8;
    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo special = {1, &entry, 4, &rows};
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    stage.pSpecializationInfo = &special;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    const ordered_json json = readRequest();
    EXPECT_EQ(json["stage"], "compute");
    EXPECT_EQ(json["entryPoint"], "main");
    EXPECT_EQ(json["subgroupSize"], 32);
    EXPECT_EQ(json["specialization"],
              ordered_json::parse(R"([{"constantId": 0, "bytes": "08000000"}])"));
    EXPECT_EQ(json["device"]["name"], "fake device");
    EXPECT_EQ(json["settings"]["emulate"], "auto");
    EXPECT_FALSE(json.contains("refused"));
    EXPECT_EQ(readWords(folder / json["output"]), last().words);
    const auto again = repeat(json);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->words, last().words);
    EXPECT_EQ(filesOf(".spvasm").size(), 2u);
}

TEST_F(Dumps, WhatWasRefused) {
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    stage.pName = "no_such_entry_point";
    const std::string line = refuse(stage);
    const ordered_json json = readRequest();
    EXPECT_EQ(json["entryPoint"], "no_such_entry_point");
    EXPECT_FALSE(json.contains("output"));
    const std::string message = json["refused"];
    EXPECT_NE(message, "");
    EXPECT_TRUE(line.ends_with(": " + message + "\n")) << line;
    const auto again = repeat(json);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().message, message);
    EXPECT_EQ(filesOf(".spv").size(), 1u);
    EXPECT_EQ(filesOf(".spvasm").size(), 1u);
}

TEST_F(Dumps, WhatTookTooManySteps) {
    stop();
    setenv("COOPVK_REWRITE_LIMIT", "1K", 1);
    start();
    const std::string line = refuse(stageOf(makeModule(matrix)));
    unsetenv("COOPVK_REWRITE_LIMIT");
    const ordered_json json = readRequest();
    EXPECT_EQ(json["rewriteLimit"], 1000);
    const std::string message = json["refused"];
    EXPECT_TRUE(line.ends_with(": " + message + "\n")) << line;
    const auto again = repeat(json);
    ASSERT_FALSE(again) << "without the limit of the layer";
    EXPECT_EQ(again.error().message, message);
}

TEST_F(Dumps, EachRequestHasItsOwnName) {
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    for (const char* name : {"one", "two"}) {
        stage.pName = name;
        refuse(stage);
    }
    EXPECT_EQ(filesOf(".json").size(), 3u);
    EXPECT_EQ(filesOf(".spv").size(), 2u);
}

TEST_F(Dumps, ContradictorySpecialization) {
    const uint32_t rows = 8;
    const VkSpecializationMapEntry entry = {0, 4, 4};
    const VkSpecializationInfo special = {1, &entry, 4, &rows};
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    stage.pSpecializationInfo = &special;
    const std::string line = refuse(stage);
    const ordered_json json = readRequest();
    EXPECT_EQ(json["refused"], layer::kSpecializationOutOfRange);
    EXPECT_NE(line.find(layer::kSpecializationOutOfRange), std::string::npos) << line;
    const auto recorded = layer::requestFromJson(json);
    ASSERT_TRUE(recorded) << recorded.error().message;
    EXPECT_FALSE(recorded->specialization);
}

TEST_F(Dumps, FolderThatCannotBeMade) {
    stop();
    const std::string path = COOPVK_NOWHERE "/x";
    setenv("COOPVK_DUMP_DIR", path.c_str(), 1);
    testing::internal::CaptureStderr();
    start();
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_SUCCESS);
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("cannot use dump folder '" + path + "'"), std::string::npos) << text;
}

// A program may shut itself off from files once it has an instance.
TEST_F(Dumps, FolderIsOpenFromTheStart) {
    const fs::path moved = folder.parent_path() / "moved";
    fs::rename(folder, moved);
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_SUCCESS);
    EXPECT_EQ(std::distance(fs::directory_iterator(moved), {}), 5);
}

// ---------------------------------------------------------------------------------------------

// Converts to what a member of DeviceTraits may be.
struct Anything {
    template <typename T>
    operator T() const;
};
template <typename... Members>
constexpr size_t countMembers() {
    if constexpr (requires { rewrite::DeviceTraits{Members{}..., Anything{}}; }) {
        return countMembers<Members..., Anything>();
    } else {
        return sizeof...(Members);
    }
}

TEST(Traits, AllAreInTheJson) {
    EXPECT_EQ(layer::toJson(rewrite::DeviceTraits()).size(), countMembers<>())
        << "layer/report/traits_json.cpp lacks a member";
}

TEST(Traits, ThereAndBack) {
    ordered_json json = layer::toJson(rewrite::DeviceTraits());
    for (auto& [key, value] : json.items()) {
        if (value.is_boolean()) {
            value = !value.get<bool>();
        } else if (value.is_number()) {
            value = value.get<uint32_t>() + 1;
        } else if (value.is_string()) {
            value = key == "familyLayout" ? "rdna3" : "another";
        }
    }
    json["nativeShapes"].push_back(
        ordered_json::parse(R"([16, 8, 32, "s8", "u8", "s32", "s32", true])"));
    const auto traits = layer::traitsFromJson(json);
    ASSERT_TRUE(traits) << traits.error().message;
    EXPECT_EQ(layer::toJson(*traits), json);
}

}  // namespace
}  // namespace coopvk::test::dumps_test
