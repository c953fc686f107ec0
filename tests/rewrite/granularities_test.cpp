// SPDX-License-Identifier: Apache-2.0
//
// Which queries of VK_EXT_cooperative_matrix_maintenance1 and VK_NV_cooperative_matrix2 have rows,
// at the bounds that a device has.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::granularities_test {
namespace {

DeviceTraits deviceOf(uint32_t invocations) {
    DeviceTraits device;
    device.minSubgroupSize = 8;
    device.subgroupSize = device.maxSubgroupSize = 32;
    device.maxComputeWorkGroupInvocations = invocations;
    return device;
}

// VK_NV_cooperative_matrix2 has workgroups of up to 1,024 invocations.
TEST(Granularities, LargestWorkgroups) {
    struct {
        uint32_t ofDevice, expected;
    } const rows[] = {{128, 128}, {1023, 1023}, {1024, 1024}, {1025, 1024}, {2048, 1024}};
    for (const auto& row : rows)
        EXPECT_EQ(maxMatrixWorkgroupSize(deviceOf(row.ofDevice)), row.expected);
}

// Half of the shared memory, and at most 32 KiB.
TEST(Granularities, ReservedSharedMemory) {
    struct {
        uint32_t ofDevice, expected;
    } const rows[] = {
        {16384, 8192}, {32768, 16384}, {65536, 32768}, {65540, 32768}, {102400, 32768}};
    for (const auto& row : rows) {
        DeviceTraits device;
        device.maxComputeSharedMemorySize = row.ofDevice;
        EXPECT_EQ(reservedSharedMemory(device), row.expected);
    }
}

TEST(Granularities, QueriesWithRows) {
    struct {
        MatrixQuery query;
        bool hasRows;
    } const rows[] = {
        // Workgroups, from a subgroup's size to the largest.
        {{true, 7, 0, false}, false},
        {{true, 8, 0, false}, true},
        {{true, 512, 0, false}, true},
        {{true, 513, 0, false}, false},
        {{true, 0, 0, false}, false},
        // Of subgroups, the number of invocations does not count.
        {{false, 0, 0, false}, true},
        {{false, 4096, 0, false}, true},
        // Subgroup sizes that the device has.
        {{false, 0, 7, false}, false},
        {{false, 0, 8, false}, true},
        {{false, 0, 32, false}, true},
        {{false, 0, 33, false}, false},
        {{true, 64, 8, false}, true},
        {{true, 64, 64, false}, false},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(!matrixGranularities(deviceOf(512), row.query).empty(), row.hasRows)
            << row.query.isOfWorkgroup << ' ' << row.query.invocations << ' '
            << row.query.subgroupSize;
    }
}

// What saturates is asked for on its own, and each row is listed once.
TEST(Granularities, RowsOfQueries) {
    for (const bool ofWorkgroup : {false, true}) {
        for (const bool saturating : {false, true}) {
            const auto found = matrixGranularities(deviceOf(512), {ofWorkgroup, 64, 0, saturating});
            EXPECT_FALSE(found.empty() && !saturating);
            for (const MatrixShape& shape : found) {
                EXPECT_EQ(shape.saturating, saturating);
                EXPECT_EQ(std::ranges::count(found, shape), 1);
            }
        }
    }
}

// A row for each number of invocations that the device has; 0 stands for a subgroup.
TEST(Granularities, WorkgroupsOfFlexibleShapes) {
    struct {
        uint32_t ofDevice;
        std::set<uint32_t> expected;
    } const rows[] = {
        {63, {0}},
        {64, {0, 64}},
        {127, {0, 64}},
        {512, {0, 64, 128, 256, 512}},
        {1023, {0, 64, 128, 256, 512}},
        {1024, {0, 64, 128, 256, 512, 1024}},
        {4096, {0, 64, 128, 256, 512, 1024}},
    };
    for (const auto& row : rows) {
        std::set<uint32_t> found;
        for (const FlexibleShape& each : flexibleShapes(deviceOf(row.ofDevice)))
            found.insert(each.workgroupInvocations);
        EXPECT_EQ(found, row.expected) << row.ofDevice;
    }
}

// Of scope Workgroup, both Rows and Columns are multiples of the granularities.
TEST(Granularities, OtherSizesOfWorkgroupsAreRefused) {
    const auto problemOf = [](uint32_t rows, uint32_t columns, uint32_t depth) {
        const auto words =
            test::assemble(test::edited(test::multiplyModule(rows, columns, depth),
                                        {{"%c3 = OpConstant %u32 3", "%c3 = OpConstant %u32 2"},
                                         {"OpExtension",
                                          "OpExtension \"SPV_NV_cooperative_matrix2\"\n"
                                          "OpExtension"}}));
        const Result<Rewritten> out = rewrite({.words = words}, {});
        return out ? std::string() : out.error().message;
    };
    EXPECT_EQ(problemOf(16, 32, 48), "");
    for (const auto& [rows, columns, depth] :
         {std::tuple(24u, 16u, 16u), {16u, 24u, 16u}, {16u, 16u, 24u}, {8u, 8u, 8u}}) {
        EXPECT_NE(problemOf(rows, columns, depth).find("must be multiples of 16"),
                  std::string::npos)
            << rows << ' ' << columns << ' ' << depth;
    }
}

}  // namespace
}  // namespace coopvk::rewrite::granularities_test
