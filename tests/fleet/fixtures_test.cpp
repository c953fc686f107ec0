// SPDX-License-Identifier: Apache-2.0
//
// Rewrites the fleet's subjects for each of its devices at each of their subgroup sizes, without
// drivers. The output is valid, uses nothing that is emulated, and needs no feature that the device
// lacks.
#include <gtest/gtest.h>

#include <filesystem>
#include <format>
#include <fstream>
#include <nlohmann/json.hpp>

#include "coopvk/plan.hpp"
#include "device/policy.hpp"
#include "ir/module.hpp"
#include "report/traits_json.hpp"
#include "subject.hpp"

namespace coopvk::fleet {
namespace {

namespace fs = std::filesystem;
using rewrite::DeviceTraits;

std::vector<fs::path> fixtures() {
    std::vector<fs::path> list;
    for (const auto& entry : fs::directory_iterator(COOPVK_FIXTURES)) list.push_back(entry.path());
    std::ranges::sort(list);
    return list;
}

nlohmann::ordered_json jsonOf(const fs::path& fixture) {
    std::ifstream file(fixture);
    return nlohmann::ordered_json::parse(file);
}

DeviceTraits traitsOf(const fs::path& fixture) {
    auto traits = layer::traitsFromJson(jsonOf(fixture));
    if (!traits) throw std::runtime_error(fixture.string() + ": " + traits.error().message);
    return *traits;
}

// Features of Vulkan that capabilities stand for (Vulkan specification, "SPIR-V Capabilities").
struct CapabilityRow {
    spv::Capability capability;
    bool DeviceTraits::* has;
};
constexpr CapabilityRow kCapabilities[] = {
    {spv::Capability::Float16, &DeviceTraits::shaderFloat16},
    // Matrices hold 8-bit floats as f16.
    {spv::Capability::Float8CooperativeMatrixEXT, &DeviceTraits::shaderFloat16},
    {spv::Capability::Float64, &DeviceTraits::shaderFloat64},
    {spv::Capability::Int8, &DeviceTraits::shaderInt8},
    {spv::Capability::Int16, &DeviceTraits::shaderInt16},
    {spv::Capability::Int64, &DeviceTraits::shaderInt64},
    {spv::Capability::StorageBuffer8BitAccess, &DeviceTraits::storageBuffer8BitAccess},
    {spv::Capability::StorageBuffer16BitAccess, &DeviceTraits::storageBuffer16BitAccess},
    {spv::Capability::DotProduct, &DeviceTraits::shaderIntegerDotProduct},
};

// The first feature that a module needs and the device lacks; empty if it has all.
std::string lacking(const std::vector<uint32_t>& words, const DeviceTraits& traits) {
    const auto module = rewrite::Module::parse(words);
    if (!module) return module.error().message;
    for (const CapabilityRow& row : kCapabilities)
        if (module->hasCapability(row.capability) && !traits.has(row.has))
            return std::format("capability {}", static_cast<uint32_t>(row.capability));
    return {};
}

bool isPromised(const Subject& subject, const DeviceTraits& traits) {
    const auto used = rewrite::scan(subject.words, rewrite::ExtensionSet::all());
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
        if (used.contains(info.extension) && !info.missing(traits).empty()) return false;
    return !used.empty() && lacking(subject.words, traits).empty();
}

rewrite::Result<rewrite::Rewritten> rewriteFor(const Subject& subject, const DeviceTraits& traits,
                                               uint32_t size) {
    std::vector<uint32_t> values;
    for (const Constant& constant : subject.constants)
        values.push_back(static_cast<uint32_t>(constant.perLane * size + constant.fixed));
    std::vector<rewrite::SpecializationEntry> entries;
    for (size_t i = 0; i < values.size(); ++i)
        entries.push_back({subject.constants[i].id, std::as_bytes(std::span(&values[i], 1))});
    rewrite::Target target;
    target.device = traits;
    if (traits.emulatesFloat16) {
        target.emulated.insert(rewrite::Extension::kKhrShaderFloat16Int8);
    }
    target.subgroupSize = size;
    target.backEnd = rewrite::BackEnd::kCore;
    rewrite::Request request;
    request.words = subject.words;
    request.specialization = entries;
    return rewrite::rewrite(request, target);
}

// Rewriting takes longest for what differs least in kind.
bool isLarge(const Subject& subject) { return subject.name.find("_128") != std::string::npos; }

class Fixtures : public testing::TestWithParam<fs::path> {};

TEST_P(Fixtures, TakeEverySubject) {
    const DeviceTraits traits = traitsOf(GetParam());
    DeviceTraits seen = traits;
    if (!traits.shaderFloat16) layer::emulateHalves(seen);
    rewrite::ExtensionSet gone = rewrite::ExtensionSet::all();
    if (traits.shaderMixedFloatDotProductFloat16AccFloat32)  // coopvk uses the driver's own
        gone.erase(rewrite::Extension::kValveShaderMixedFloatDotProduct);
    uint32_t count = 0;
    for (const Subject& subject : builtInSubjects()) {
        if (isLarge(subject) || !isPromised(subject, seen)) continue;
        for (uint32_t size = traits.minSubgroupSize; size <= traits.maxSubgroupSize; size *= 2) {
            const std::string what = std::format("{}, {} lanes", subject.name, size);
            const auto rewritten = rewriteFor(subject, seen, size);
            ASSERT_TRUE(rewritten) << what << ": " << rewritten.error().message;
            EXPECT_EQ(rewrite::validate(rewritten->words).value_or(""), "") << what;
            EXPECT_TRUE(rewrite::scan(rewritten->words, gone).empty()) << what;
            EXPECT_EQ(lacking(rewritten->words, traits), "") << what;
            ++count;
        }
    }
    EXPECT_GT(count, 3u) << "hardly a subject fits the device";
}

// By the words of a rewritten shader of each kind, when `coopvk info` wrote the file.
TEST_P(Fixtures, ComputeProductsAsTheyDid) {
    const auto written = jsonOf(GetParam()).at("devices").at(0).at("products");
    std::vector<std::pair<std::string, std::string>> expected, found;
    for (const auto& one : written) expected.emplace_back(one.at("products"), one.at("means"));
    for (const auto& [products, means] : rewrite::productMeans(traitsOf(GetParam())))
        found.emplace_back(products, means);
    // One device lacks what matrices and vectors need.
    if (!expected.empty()) {
        EXPECT_EQ(found, expected);
    }
    EXPECT_EQ(expected.empty(), GetParam().stem() == "adreno630");
}

INSTANTIATE_TEST_SUITE_P(Devices, Fixtures, testing::ValuesIn(fixtures()),
                         [](const auto& fixture) { return fixture.param.stem().string(); });

TEST(Fixtures, AreThere) { EXPECT_GE(fixtures().size(), 10u); }

}  // namespace
}  // namespace coopvk::fleet
