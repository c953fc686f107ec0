// SPDX-License-Identifier: Apache-2.0
//
// Dispatches with their inputs as JSON, and what is no such dispatch.
#include "report/recorded_dispatch.hpp"

#include <gtest/gtest.h>

namespace coopvk::layer::recorded_dispatch_test {
namespace {

using nlohmann::ordered_json;

RecordedDispatch someDispatch() {
    RecordedDispatch dispatch;
    dispatch.groups = {3, 2, 1};
    dispatch.base = {4, 5, 6};
    dispatch.pushConstants = {std::byte{0x0a}, std::byte{0xff}};
    dispatch.file = "a\"b";
    dispatch.regions = {{100, 0, 100}, {50, 200, {}}};
    dispatch.descriptors = {{1, 2, 3, {1, 10, 40}}};
    dispatch.addresses = {{0x123456789, {0, 99, 1}}};
    dispatch.blocks = {{7, 8, {std::byte{9}}}};
    dispatch.missing = {"one", "two"};
    dispatch.notes = {"three"};
    return dispatch;
}

TEST(RecordedDispatches, ThereAndBack) {
    const std::string text = jsonTextOf(someDispatch());
    const auto back = dispatchFromJson(ordered_json::parse(text));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(jsonTextOf(*back), text);
    EXPECT_EQ(back->file, "a\"b");
    EXPECT_EQ(back->pushConstants, someDispatch().pushConstants);
    EXPECT_EQ(back->regions.at(0).after, 100u);
    EXPECT_FALSE(back->regions.at(1).after);
    EXPECT_EQ(back->descriptors.at(0).range.offset, 10u);
    EXPECT_EQ(back->addresses.at(0).address, 0x123456789u);
}

TEST(RecordedDispatches, NumbersAndTextsThatAreTooMuch) {
    const ordered_json good = ordered_json::parse(jsonTextOf(someDispatch()));
    for (const char* path : {"/groups/0", "/base/2", "/descriptors/0/region"}) {
        ordered_json wrong = good;
        const ordered_json::json_pointer place(path);
        ASSERT_TRUE(wrong.contains(place)) << path;
        wrong[place] = uint64_t{1} << 32;  // 0, if only 32 bits of it counted
        EXPECT_FALSE(dispatchFromJson(wrong)) << path;
    }
    for (const std::string file : {"a\\b", "\"\\\"", "c:\\d\\"}) {
        RecordedDispatch dispatch = someDispatch();
        dispatch.file = file;
        const auto back = dispatchFromJson(ordered_json::parse(jsonTextOf(dispatch)));
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(back->file, file);
    }
}

// Each member, of each object: it must be there, and have its type.
TEST(RecordedDispatches, WrongOnesAreErrors) {
    const ordered_json good = ordered_json::parse(jsonTextOf(someDispatch())).flatten();
    size_t tried = 0;
    for (const auto& [path, value] : good.items()) {
        if (path.starts_with("/missing") || path.starts_with("/notes")) continue;  // for people
        ordered_json wrong = good.unflatten();
        const ordered_json::json_pointer place(path);
        for (const ordered_json& other : {ordered_json(-1), ordered_json(true), ordered_json(),
                                          ordered_json::array(), ordered_json(0.5)}) {
            wrong[place] = other;
            EXPECT_FALSE(dispatchFromJson(wrong)) << wrong;
        }
        if (value.is_number()) wrong[place] = "7";
        if (value.is_string()) wrong[place] = 7;
        EXPECT_FALSE(dispatchFromJson(wrong)) << wrong;
        ++tried;
        if (path == "/regions/0/after") continue;  // may be missing
        wrong = good.unflatten();
        wrong[place.parent_pointer()].erase(wrong[place.parent_pointer()].is_array()
                                                ? wrong[place.parent_pointer()].end() - 1
                                                : wrong[place.parent_pointer()].find(place.back()));
        EXPECT_FALSE(dispatchFromJson(wrong)) << wrong;
    }
    EXPECT_GE(tried, 20u);
    for (const ordered_json& none : {ordered_json(), ordered_json("text"), ordered_json::array()})
        EXPECT_FALSE(dispatchFromJson(none)) << none;
}

// Parts of regions end there.
TEST(RecordedDispatches, RangesLieInRegions) {
    for (const auto& [region, offset, size, isInside] :
         std::vector<std::tuple<uint32_t, uint64_t, uint64_t, bool>>{{0, 0, 100, true},
                                                                     {0, 100, 0, true},
                                                                     {0, 1, 100, false},
                                                                     {0, 101, 0, false},
                                                                     {0, 2, ~uint64_t{0}, false},
                                                                     {1, 0, 51, false},
                                                                     {2, 0, 1, false}}) {
        RecordedDispatch dispatch = someDispatch();
        dispatch.descriptors[0].range = {region, offset, size};
        EXPECT_EQ(bool(dispatchFromJson(ordered_json::parse(jsonTextOf(dispatch)))), isInside)
            << region << " " << offset << " " << size;
    }
}

}  // namespace
}  // namespace coopvk::layer::recorded_dispatch_test
