// SPDX-License-Identifier: Apache-2.0
//
// Requests to the rewriter as JSON, and what is no such request.
#include "report/request_json.hpp"

#include <gtest/gtest.h>

namespace coopvk::layer::request_json_test {
namespace {

using nlohmann::ordered_json;

RecordedRequest someRequest() {
    RecordedRequest request;
    request.shader = "0123.spv";
    request.stage = rewrite::Stage::kClosestHit;
    request.entryPoint = "a\"b";
    request.specialization = {{7, {std::byte{0x0a}, std::byte{0xff}}}, {8, {}}};
    request.target.subgroupSize = 64;
    request.target.emulated = {rewrite::Extension::kNvCooperativeVector};
    request.target.backEnd = rewrite::BackEnd::kNative;
    request.target.numerics = rewrite::Numerics::kSame;
    request.target.tuning.sliceDepth = 4;
    request.target.device.name = "d";
    request.validate = request.lines = true;
    request.maxSteps = 5'000'000'000;
    return request;
}

TEST(Requests, ThereAndBack) {
    const RecordedRequest request = someRequest();
    const auto back = requestFromJson(toJson(request));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->shader, request.shader);
    EXPECT_EQ(back->stage, request.stage);
    EXPECT_EQ(back->entryPoint, request.entryPoint);
    ASSERT_TRUE(back->specialization && back->specialization->size() == 2);
    EXPECT_EQ(back->specialization->front().constantId, 7u);
    EXPECT_EQ(back->specialization->front().bytes, request.specialization->front().bytes);
    EXPECT_TRUE((*back->specialization)[1].bytes.empty());
    EXPECT_EQ(back->target.subgroupSize, 64u);
    EXPECT_EQ(back->target.emulated, request.target.emulated);
    EXPECT_EQ(back->target.backEnd, rewrite::BackEnd::kNative);
    EXPECT_EQ(back->target.numerics, rewrite::Numerics::kSame);
    EXPECT_EQ(back->target.tuning, request.target.tuning);
    EXPECT_EQ(back->target.device.name, "d");
    EXPECT_TRUE(back->validate && back->lines);
    EXPECT_EQ(back->maxSteps, request.maxSteps);
}

TEST(Requests, WrongOnesAreNamed) {
    const ordered_json good = toJson(someRequest());
    for (const auto& [key, value] : good.items()) {
        if (key == "validate" || key == "needsFullSubgroups") continue;  // false where it is absent
        ordered_json json = good;
        json.erase(key);
        const bool isOptional = key == "indexes64Bits" || key == "lines" || key == "rewriteLimit" ||
                                key == "numerics" || key == "tuning" ||
                                key.ends_with("Layout");  // older dumps
        EXPECT_EQ(bool(requestFromJson(json)), isOptional) << "without " << key;
        json[key] = -1;
        EXPECT_FALSE(requestFromJson(json)) << key;
    }
    for (const char* bytes : {"0", "0g", "+1", "0 "}) {
        ordered_json json = good;
        json["specialization"][0]["bytes"] = bytes;
        EXPECT_FALSE(requestFromJson(json)) << bytes;
    }
    ordered_json json = good;
    json["emulated"][0] = "VK_XYZ_nothing";
    EXPECT_FALSE(requestFromJson(json));
    EXPECT_FALSE(requestFromJson(ordered_json::array()));
}

// Parts of parts that are missing, of another type, or too large.
TEST(Requests, WrongPartsAreRefused) {
    const ordered_json good = toJson(someRequest());
    for (const char* key : {"constantId", "bytes"}) {
        for (size_t row = 0; row < 2; ++row) {
            ordered_json json = good;
            json["specialization"][row].erase(key);
            EXPECT_FALSE(requestFromJson(json)) << "without " << key;
            for (const ordered_json& wrong :
                 {ordered_json(-1), ordered_json(nullptr), ordered_json(true), ordered_json("x"),
                  ordered_json(0x100000000u), ordered_json::array()}) {
                json["specialization"][row][key] = wrong;
                EXPECT_FALSE(requestFromJson(json)) << key << ": " << wrong;
            }
        }
    }
    struct {
        const char* place;
        std::vector<ordered_json> wrong;
    } const rows[] = {
        {"/specialization/1", {7, "00", nullptr, ordered_json::array()}},
        {"/specialization", {7, "00", ordered_json::object()}},
        {"/emulated/0", {7, nullptr, "", "VK_XYZ_nothing"}},
        {"/emulated", {"VK_NV_cooperative_vector", ordered_json::object()}},
        {"/subgroupSize", {-1, 0x100000000u, "32", 32.5}},
        {"/stage", {"", "Compute", "nothing", 7}},
        {"/backEnd", {"", "Native", 1}},
        {"/elementLayout", {"", "rdna", 1}},
        {"/programLayout", {"", "rdna", 1}},
        {"/numerics", {"", "slow", 1}},
        {"/device", {nullptr, "fake", ordered_json::array()}},
        {"/device/shaderInt64", {1, "true", nullptr}},
        {"/device/minSubgroupSize", {-1, 0x100000000u, true, "8"}},
        {"/device/familyLayout", {"", "none of them", 3}},
        {"/device/name", {3, nullptr}},
        {"/device/unknown", {3}},
    };
    for (const auto& row : rows) {
        const ordered_json::json_pointer place(row.place);
        for (const ordered_json& wrong : row.wrong) {
            ordered_json json = good;
            json[place] = wrong;
            EXPECT_FALSE(requestFromJson(json)) << row.place << ": " << wrong;
        }
    }
    ordered_json json = good;
    json["specialization"] = nullptr;
    const auto none = requestFromJson(json);
    ASSERT_TRUE(none) << none.error().message;
    EXPECT_FALSE(none->specialization);
}

// Each stage of SPIR-V's execution models has a name, which comes back.
TEST(Requests, EveryStage) {
    size_t stages = 0;
    for (uint32_t bit = 1; bit <= static_cast<uint32_t>(rewrite::Stage::kCallable); bit <<= 1) {
        RecordedRequest request = someRequest();
        request.stage = static_cast<rewrite::Stage>(bit);
        const auto back = requestFromJson(toJson(request));
        ASSERT_TRUE(back) << bit << ": " << back.error().message;
        EXPECT_EQ(back->stage, request.stage);
        ++stages;
    }
    EXPECT_GE(stages, 14u);
}

// The features of an extension that stay the driver's are part of the request.
TEST(RequestJson, NativeFeatures) {
    RecordedRequest request;
    request.shader = "x.spv";
    constexpr auto kAtomics = rewrite::Extension::kExtShaderAtomicFloat;
    request.target.nativeFeatures[kAtomics] = 0b110001;
    ordered_json json = toJson(request);
    json["specialization"] = nullptr;
    const auto back = requestFromJson(json);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->target.nativeFeatures, request.target.nativeFeatures);
    for (const char* wrong : {"[]", "{\"VK_EXT_shader_atomic_float\": -1}", "{\"VK_KHR_one\": 1}",
                              "{\"VK_EXT_shader_atomic_float\": \"1\"}"}) {
        json["native"] = ordered_json::parse(wrong);
        EXPECT_FALSE(requestFromJson(json)) << wrong;
    }
}

}  // namespace
}  // namespace coopvk::layer::request_json_test
