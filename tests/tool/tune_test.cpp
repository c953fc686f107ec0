// SPDX-License-Identifier: Apache-2.0
//
// Which choices `coopvk tune` takes, from figures that are made up.
#include <gtest/gtest.h>

#include <map>

#include "compare/tune/search.hpp"

namespace coopvk::tune::tune_test {
namespace {

// A work that takes these times as long as its base, a run of seven like the next.
WorkFigures work(double times, double spread = 0.001) {
    WorkFigures figures{.name = "work", .isRight = true, .baseIsRight = true};
    for (int i = -3; i <= 3; ++i) {
        figures.base.figures.push_back(1 + spread * i);
        figures.candidate.figures.push_back(times * (1 - spread * i));
    }
    return figures;
}

WorkFigures wrong(double times) {
    WorkFigures figures = work(times);
    figures.isRight = false;
    return figures;
}

TEST(Tune, Judges) {
    EXPECT_EQ(judge({.works = {work(0.9)}}).gain, Gain::kFaster);
    EXPECT_NEAR(judge({.works = {work(0.9), work(0.9)}}).times, 1 / 0.9, 0.01);
    EXPECT_EQ(judge({.works = {work(0.97)}}).gain, Gain::kSame);      // less than 5 %
    EXPECT_EQ(judge({.works = {work(0.9, 0.2)}}).gain, Gain::kSame);  // chance explains it
    EXPECT_EQ(judge({.works = {work(1), work(0.9)}}).gain, Gain::kFaster);
    EXPECT_EQ(judge({.works = {work(0.5), work(1.03)}}).gain, Gain::kSlower);
    EXPECT_EQ(judge({.works = {work(0.5), wrong(0.5)}}).gain, Gain::kWrong);
    WorkFigures base = work(0.5);
    base.baseIsRight = false;
    EXPECT_EQ(judge({.works = {base}}).gain, Gain::kWrong);
    EXPECT_EQ(judge({.failure = "signal 11", .works = {work(0.5)}}).gain, Gain::kFailed);
    EXPECT_EQ(judge({}).gain, Gain::kFailed);
}

TEST(Tune, ChoicesReplaceEarlierOnes) {
    EXPECT_EQ(withChoice("", "slice", "4"), "slice=4");
    EXPECT_EQ(withChoice("slice=4,sums=open", "slice", "8"), "slice=8,sums=open");
}

// Measurements that are known: "BASE:CANDIDATE", with "again" or "final" behind it. All others find
// no difference.
struct Device {
    std::map<std::string, Measured> figures;
    size_t room = 100;  // for so many measurements there is time
    std::vector<std::string> order = {};

    Found search() {
        constexpr const char* kRepeats[] = {" final", "", " again"};
        order.clear();
        Search how;
        how.choices = {{"slice", {"2", "4", "8"}}, {"sums", {"closed", "open"}}};
        how.areAlike = [](const std::string&, const std::string& candidate) {
            return candidate.ends_with("sums=open");
        };
        how.tell = [](const Trial&, bool) {};
        how.measure = [&](const Trial& trial) -> std::optional<Measured> {
            if (order.size() >= room && trial.repeat != kFinal) return std::nullopt;
            order.push_back(trial.base + ":" + trial.candidate + kRepeats[trial.repeat + 1]);
            const auto found = figures.find(order.back());
            return found == figures.end() ? Measured{.works = {work(1)}} : found->second;
        };
        return tune::search(how);
    }
};

Device someDevice() {
    return {{{":slice=2", {.works = {work(0.9)}}},
             {":slice=4", {.works = {work(0.8)}}},
             {":slice=8", {.works = {wrong(0.1)}}},
             {":slice=4 again", {.works = {work(0.81)}}},
             {"slice=4:slice=4,sums=closed", {.works = {work(1.1)}}},
             {":slice=4 final", {.works = {work(0.8)}}}}};
}

TEST(Tune, TakesTheBestThatStaysFaster) {
    Device device = someDevice();
    const Found found = device.search();
    EXPECT_EQ(found.tuning, "slice=4");
    EXPECT_EQ(found.final.works.size(), 1u);
    EXPECT_TRUE(found.isWhole);
    const std::vector<std::string> order = {
        ":slice=2",      ":slice=4", ":slice=8", ":slice=4 again", "slice=4:slice=4,sums=closed",
        ":slice=4 final"};
    EXPECT_EQ(device.order, order);
}

TEST(Tune, LeavesTheUsualChoices) {
    for (const char* measured : {":slice=4 again", ":slice=4 final"}) {
        for (const Measured& result :
             {Measured{.works = {work(1)}}, Measured{.works = {wrong(0.5)}},
              Measured{.failure = "signal 11"}, Measured{.works = {work(0.5), work(1.1)}}}) {
            Device device = someDevice();
            device.figures[measured] = result;
            const Found found = device.search();
            EXPECT_EQ(found.tuning, "") << measured;
            EXPECT_TRUE(found.final.works.empty());
        }
    }
}

// When the time is up, what was measured twice stays, and is compared as a whole.
TEST(Tune, EndsWithWhatItHas) {
    for (size_t room = 0; room < 6; ++room) {
        Device device = someDevice();
        device.room = room;
        const Found found = device.search();
        EXPECT_EQ(found.tuning, room < 4 ? "" : "slice=4") << room;
        EXPECT_EQ(found.isWhole, room == 5) << room;
    }
}

}  // namespace
}  // namespace coopvk::tune::tune_test
