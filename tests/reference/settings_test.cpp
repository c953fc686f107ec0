// SPDX-License-Identifier: Apache-2.0
//
// Settings from the environment: each name and value means what docs/reference-device.md says, and
// others are refused by name.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>
#include <string>

#include "coopvk_reference/unit_sums.hpp"

namespace coopvk::reference::test::settings_test {
namespace {

// A variable of the environment, for as long as it lives.
class Variable {
 public:
    Variable(const char* name, const char* value) : name_(std::string("COOPVK_REFERENCE_") + name) {
        setenv(name_.c_str(), value, 1);
    }
    ~Variable() { unsetenv(name_.c_str()); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

 private:
    std::string name_;
};

struct Row {
    const char *name, *value;
    std::function<bool(const Settings&)> isTaken;
};
const Row kRows[] = {
    {"SUBGROUP_SIZE", "64", [](const Settings& s) { return s.subgroupSize == 64; }},
    {"SEED", "12345678901", [](const Settings& s) { return s.seed == 12345678901; }},
    {"SCHEDULE", "shuffled", [](const Settings& s) { return s.schedule == Choice::kShuffled; }},
    {"SCHEDULE", "adversarial",
     [](const Settings& s) { return s.schedule == Choice::kAdversarial; }},
    {"PLACEMENT", "adversarial",
     [](const Settings& s) { return s.placement == Choice::kAdversarial; }},
    {"PLACEMENT", "nvidia", [](const Settings& s) { return s.placement == Choice::kNvidia; }},
    {"PLACEMENT", "rdna3", [](const Settings& s) { return s.placement == Choice::kRdna3; }},
    {"PLACEMENT", "rdna4", [](const Settings& s) { return s.placement == Choice::kRdna4; }},
    {"PLACEMENT", "shuffled", [](const Settings& s) { return s.placement == Choice::kShuffled; }},
    {"SUMS", "shuffled", [](const Settings& s) { return s.sums == Choice::kShuffled; }},
    {"SUMS", "exact", [](const Settings& s) { return s.sums == Choice::kExact; }},
    {"SUMS", "hopper", [](const Settings& s) { return s.sums == Choice::kHopper; }},
    {"SUMS", "rdna4", [](const Settings& s) { return s.sums == Choice::kRdna4; }},
    {"ROUNDING", "downward", [](const Settings& s) { return s.rounding == Direction::kDownward; }},
    {"ROUNDING", "upward", [](const Settings& s) { return s.rounding == Direction::kUpward; }},
    {"ROUNDING", "halves-toward-zero",
     [](const Settings& s) { return s.rounding == Direction::kHalvesTowardZero; }},
    {"DENORMALS", "flush", [](const Settings& s) { return s.flushed == 16 + 32 + 64; }},
    {"DENORMALS", "f32", [](const Settings& s) { return s.flushed == 32; }},
    {"DENORMALS", "f16,f64", [](const Settings& s) { return s.flushed == 16 + 64; }},
    {"CONTRACTION", "on", [](const Settings& s) { return s.contracts; }},
    {"NANS", "nan", [](const Settings& s) { return s.prefersNan; }},
    {"RECONVERGENCE", "minimal",
     [](const Settings& s) { return s.reconvergence == Reconvergence::kMinimal; }},
    {"CALLS", "repeated", [](const Settings& s) { return s.calls == Calls::kRepeated; }},
    {"RECONVERGENCE", "random",
     [](const Settings& s) { return s.reconvergence == Reconvergence::kRandom; }},
    {"GRAPHICS", "accept", [](const Settings& s) { return s.graphics; }},
    {"HOST", "apart", [](const Settings& s) { return s.hostApart; }},
    {"CHECKS", "all", [](const Settings& s) { return s.checks == kAllChecks; }},
    {"CHECKS", "none", [](const Settings& s) { return s.checks == 0; }},
    {"CHECKS", "program", [](const Settings& s) { return s.checks == kCheckProgram; }},
    {"CHECKS", "bounds,races",
     [](const Settings& s) { return s.checks == (kCheckBounds | kCheckRaces); }},
    {"REPORT", "error", [](const Settings& s) { return s.action == ReportAction::kError; }},
    {"THREADS", "3", [](const Settings& s) { return s.threads == 3; }},
    {"REPORTS", "7", [](const Settings& s) { return s.reports == 7; }},
    {"GRANULARITY", "16", [](const Settings& s) { return s.granularity == 16; }},
    {"STEPS", "1000", [](const Settings& s) { return s.steps == 1000; }},
    {"EXTENSIONS", "none", [](const Settings& s) { return s.extensions == "none"; }},
};

TEST(ReferenceSettings, AreTakenFromTheEnvironment) {
    for (const Row& row : kRows) {
        const Variable variable(row.name, row.value);
        const Result<Settings> settings = settingsFromEnvironment();
        ASSERT_TRUE(settings) << settings.error().message;
        EXPECT_TRUE(row.isTaken(*settings)) << row.name << " " << row.value;
    }
}

TEST(ReferenceSettings, WithoutVariablesNothingIsChanged) {
    const Result<Settings> settings = settingsFromEnvironment();
    ASSERT_TRUE(settings);
    for (const Row& row : kRows) {
        const bool isDefault = std::string(row.name) == "CHECKS" && row.value == std::string("all");
        EXPECT_EQ(row.isTaken(*settings), isDefault) << row.name << " " << row.value;
    }
}

// The names of the defaults say what is so without a setting.
TEST(ReferenceSettings, HaveNamesForTheirDefaults) {
    const Settings none;
    constexpr std::pair<const char*, const char*> kDefaults[] = {{"SCHEDULE", "plain"},
                                                                 {"PLACEMENT", "plain"},
                                                                 {"SUMS", "plain"},
                                                                 {"ROUNDING", "nearest"},
                                                                 {"DENORMALS", "keep"},
                                                                 {"CONTRACTION", "off"},
                                                                 {"NANS", "number"},
                                                                 {"CALLS", "once"},
                                                                 {"RECONVERGENCE", "maximal"},
                                                                 {"HOST", "coherent"},
                                                                 {"GRAPHICS", "refuse"},
                                                                 {"CHECKS", "all"},
                                                                 {"SUBGROUP_SIZE", nullptr},
                                                                 {"SEED", ""}};
    for (const auto& [name, value] : kDefaults) {
        const Variable variable(name, value != nullptr ? value : "");
        const Result<Settings> settings = settingsFromEnvironment();
        ASSERT_TRUE(settings) << settings.error().message;
        for (const Row& row : kRows)
            EXPECT_EQ(row.isTaken(*settings), row.isTaken(none))
                << name << ": " << row.name << " " << row.value;
    }
}

// Each check and each unit of sums by its name, which no other has.
TEST(ReferenceSettings, NameEachCheckAndUnit) {
    for (uint32_t check = 1; check < kAllChecks; check <<= 1) {
        const Variable variable("CHECKS", checkName(Check(check)));
        EXPECT_EQ(settingsFromEnvironment()->checks, check) << checkName(Check(check));
    }
    std::set<Choice> units;
    for (const std::string& name : unitNames()) {
        const Variable variable("SUMS", name.c_str());
        EXPECT_TRUE(units.insert(settingsFromEnvironment()->sums).second) << name;
    }
    EXPECT_GE(units.size(), 3u);
    EXPECT_TRUE(units.contains(Choice::kHopper));
    EXPECT_FALSE(units.contains(Choice::kPlain));
}

TEST(ReferenceSettings, OtherValuesAreRefusedByName) {
    constexpr std::pair<const char*, const char*> kWrong[] = {
        {"SUBGROUP_SIZE", "48"},
        {"SUBGROUP_SIZE", "256"},
        {"SUBGROUP_SIZE", "2"},
        {"SEED", "one"},
        {"SEED", "1 "},
        {"SCHEDULE", "exact"},
        {"SCHEDULE", "nvidia"},
        {"PLACEMENT", "hopper"},
        {"SUMS", "nvidia"},
        {"ROUNDING", "up"},
        {"CHECKS", "bound"},
        {"CHECKS", "bounds races"},
        {"REPORT", "all"},
        {"GRANULARITY", "0"},
        {"DENORMALS", "f16,f8"},
        {"CONTRACTION", "1"},
        {"CHECKS", "races,,bounds"},
        {"CHECKS", "all,races"},
        {"DENORMALS", "f16 f32"},
        {"REPORTS", "-1"},
        {"THREADS", "x"},
    };
    for (const auto& [name, value] : kWrong) {
        const Variable variable(name, value);
        const Result<Settings> settings = settingsFromEnvironment();
        ASSERT_FALSE(settings) << name << " " << value;
        EXPECT_NE(settings.error().message.find(name), std::string::npos)
            << settings.error().message;
    }
}

}  // namespace
}  // namespace coopvk::reference::test::settings_test
