// SPDX-License-Identifier: Apache-2.0
//
// Which settings, and what of a device, are part of the identity of data that programs keep on
// disk: all that decides what shaders become, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "objects/context.hpp"
#include "shaders/identity.hpp"

namespace coopvk::layer::identity_parts_test {
namespace {

struct SettingRow {
    const char* name;
    bool decides;  // what shaders become
    std::function<void(Settings&)> change;
};

constexpr TakenFor kOther = {.name = "another"};
const SettingRow kSettings[] = {
    // Its text stands for it.
    {"emulate", false, [](Settings& s) { s.emulate.mode = EmulatePolicy::Mode::kAll; }},
    {"emulateText", true, [](Settings& s) { s.emulateText = "all"; }},
    {"backEnd", true, [](Settings& s) { s.backEnd = rewrite::BackEnd::kCore; }},
    {"elementLayout", true, [](Settings& s) { s.elementLayout = rewrite::ElementLayout::kRdna3; }},
    {"namesLayout", false, [](Settings& s) { s.namesLayout = true; }},
    {"programLayout", true, [](Settings& s) { s.programLayout = rewrite::ElementLayout::kRdna3; }},
    {"as", true, [](Settings& s) { s.as = &kOther; }},
    {"numerics", true, [](Settings& s) { s.numerics = rewrite::Numerics::kSame; }},
    {"logLevel", false, [](Settings& s) { s.logLevel = LogLevel::kDebug; }},
    {"logFile", false, [](Settings& s) { s.logFile = "/log"; }},
    {"dumpDir", false, [](Settings& s) { s.dumpDir = "/dumps"; }},
    {"dumpInputs", false, [](Settings& s) { s.dumpInputs.bytes = 64; }},
    {"lines", true, [](Settings& s) { s.lines = true; }},
    {"validateOutput", false, [](Settings& s) { s.validateOutput = true; }},
    // Where the driver's matrices take too many steps, shaders get others.
    {"rewriteLimit", true, [](Settings& s) { s.rewriteLimit = 1000; }},
    {"remember", false, [](Settings& s) { s.remember = true; }},
    // What they decide is a device's.
    {"readsProfile", false, [](Settings& s) { s.readsProfile = false; }},
    {"tuning", false, [](Settings& s) { s.tuning.sliceDepth = 4; }},
    {"shownIds", false, [](Settings& s) { s.shownIds.vendor = 1; }},
    {"statistics", false, [](Settings& s) { s.statistics = "1"; }},
    {"report", false, [](Settings& s) { s.report = "/report"; }},
};

Settings someSettings() {
    Settings settings;
    settings.remember = false;
    return settings;
}

Digest identityOf(const Settings& settings, const PhysicalDeviceContext& device = {}) {
    return startIdentity(settings, device).finish();
}

// Converts to what a member of Settings may be.
struct Anything {
    template <typename T>
    operator T() const;
};
template <typename... Members>
constexpr size_t countMembers() {
    if constexpr (requires { Settings{Members{}..., Anything{}}; }) {
        return countMembers<Members..., Anything>();
    } else {
        return sizeof...(Members);
    }
}
static_assert(countMembers<>() == std::size(kSettings), "each setting is in the table");

TEST(IdentityParts, SettingsThatDecideWhatShadersBecome) {
    std::vector<Digest> seen = {identityOf(someSettings())};
    for (const SettingRow& row : kSettings) {
        Settings settings = someSettings();
        row.change(settings);
        const Digest changed = identityOf(settings);
        EXPECT_EQ(changed != seen.front(), row.decides) << row.name;
        if (!row.decides) continue;
        EXPECT_EQ(std::ranges::count(seen, changed), 0) << row.name << " is like another setting";
        seen.push_back(changed);
    }
}

// Of a device that an application made, the same settings count.
TEST(IdentityParts, SettingsOfADevice) {
    const auto identity = [](const Settings& settings) {
        DeviceContext device;
        device.instance = std::make_shared<InstanceContext>(settings, ProgramNames{}, nullptr);
        return startIdentity(device).finish();
    };
    const Digest first = identity(someSettings());
    for (const SettingRow& row : kSettings) {
        if (!row.decides) continue;
        Settings settings = someSettings();
        row.change(settings);
        EXPECT_NE(identity(settings), first) << row.name;
    }
}

struct DeviceRow {
    const char* name;
    std::function<void(DeviceContext&)> change;
};
const DeviceRow kOfDevices[] = {
    {"name", [](DeviceContext& d) { d.facts.traits.name = "another"; }},
    {"driverVersion", [](DeviceContext& d) { d.facts.properties.driverVersion = 7; }},
    {"features", [](DeviceContext& d) { d.facts.features.set(0); }},
    {"emulated",
     [](DeviceContext& d) { d.emulated.insert(rewrite::Extension::kKhrCooperativeMatrix); }},
    {"addsShapes", [](DeviceContext& d) { d.addsShapes = true; }},
    {"replacesLayout", [](DeviceContext& d) { d.replacesLayout = true; }},
    {"tuning", [](DeviceContext& d) { d.tuning.sliceDepth = 4; }},
};

TEST(IdentityParts, WhatDevicesHave) {
    const auto instance =
        std::make_shared<InstanceContext>(someSettings(), ProgramNames{}, nullptr);
    std::vector<Digest> seen;
    const auto add = [&](const DeviceRow& row) {
        DeviceContext device;
        device.instance = instance;
        row.change(device);
        const Digest digest = startIdentity(device).finish();
        EXPECT_EQ(std::ranges::count(seen, digest), 0) << row.name;
        seen.push_back(digest);
    };
    add({"nothing", [](DeviceContext&) {}});
    std::ranges::for_each(kOfDevices, add);
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (info.extension == rewrite::Extension::kKhrCooperativeMatrix) continue;
        DeviceRow row = {info.vulkanName.data(),
                         [&](DeviceContext& d) { d.emulated.insert(info.extension); }};
        add(row);
    }
}

TEST(IdentityParts, WhatPhysicalDevicesHave) {
    const Digest first = identityOf(someSettings());
    PhysicalDeviceContext shapes, layout, emulated, tuned;
    shapes.addedShapes.emplace_back();
    layout.replacesLayout = true;
    emulated.emulated.insert(rewrite::Extension::kNvCooperativeVector);
    tuned.tuning.choices.sliceDepth = 4;
    for (const PhysicalDeviceContext* device : {&shapes, &layout, &emulated, &tuned})
        EXPECT_NE(identityOf(someSettings(), *device), first);
}

// With the default settings, identifiers of modules are the same for all versions of coopvk; under
// others, they have what decides what shaders become.
TEST(IdentityParts, IdentifiersOfModules) {
    const auto identifier = [](const Settings& settings) {
        return startIdentifier(settings, PhysicalDeviceContext()).finish();
    };
    Sha256 alone;
    const Digest any = alone.addText("coopvk shader module").finish();
    EXPECT_EQ(identifier(someSettings()), any);
    for (const SettingRow& row : kSettings) {
        Settings settings = someSettings();
        settings.backEnd = rewrite::BackEnd::kNative;
        const Digest first = identifier(settings);
        EXPECT_NE(first, any);
        row.change(settings);
        EXPECT_EQ(identifier(settings) != first, row.decides) << row.name;
    }
}

}  // namespace
}  // namespace coopvk::layer::identity_parts_test
