// SPDX-License-Identifier: Apache-2.0
//
// Vectors of 2, 4, 8 and 16 4-bit integers in every storage class in which SPV_INTEL_int4 allows
// them, in structures and arrays, at multiples of their size and at any byte: loaded and stored as
// a whole, as part of a structure or array, and one component at a time.
#include <gtest/gtest.h>

#include "harness/int4_block.hpp"
#include "harness/random.hpp"
#include "harness/reference.hpp"

namespace coopvk::test::int4_storage_test {
namespace {

using namespace int4;

constexpr uint32_t kGroups = 12;  // enough for all components and items together, at any size

std::string caseName(const testing::TestParamInfo<BlockCase>& at) {
    const BlockCase& c = at.param;
    return rowOf(c.storage).name + std::to_string(c.components) + (c.anyByte ? "AnyByte" : "");
}

std::vector<BlockCase> casesIn(std::initializer_list<Storage> storages) {
    std::vector<BlockCase> cases;
    for (const Storage storage : storages)
        for (const uint32_t components : {2u, 4u, 8u, 16u})
            for (const bool anyByte : {false, true})
                cases.push_back({storage, components, anyByte});
    return cases;
}

class Int4Loads : public testing::TestWithParam<BlockCase> {};

TEST_P(Int4Loads, FromBlocks) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const BlockCase& c = GetParam();
    const uint32_t invocations = kGroups * Context::get().subgroupSize;
    Rng rng("Int4Loads");
    Dispatch dispatch;
    dispatch.groups = {kGroups, 1, 1};
    dispatch.buffers = {rng.bytes(c.layout().size), rng.bytes(invocations * kLoadResults * 8)};
    if (c.storage == Storage::kPhysical) dispatch.addresses = {0};
    if (c.storage == Storage::kPush) dispatch.push = dispatch.buffers[0];
    expectAsReference(assemble(loadingModule(c), Checked::kNo), dispatch);
}

INSTANTIATE_TEST_SUITE_P(All, Int4Loads,
                         testing::ValuesIn(casesIn({Storage::kBuffer, Storage::kPhysical,
                                                    Storage::kUniform, Storage::kPush})),
                         caseName);

class Int4Stores : public testing::TestWithParam<BlockCase> {};

TEST_P(Int4Stores, ToBlocks) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const BlockCase& c = GetParam();
    if (c.storage == Storage::kWorkgroupBlock) COOPVK_REQUIRE(Requirement::kWorkgroupLayout);
    const uint32_t invocations = kGroups * Context::get().subgroupSize, size = c.layout().size;
    Rng rng("Int4Stores");
    Dispatch dispatch;
    dispatch.groups = {kGroups, 1, 1};
    dispatch.buffers = {rng.bytes(size), rng.bytes(size_t{invocations} * size)};
    if (c.storage == Storage::kPhysical) dispatch.addresses = {1};
    expectAsReference(assemble(storingModule(c), Checked::kNo), dispatch);
}

INSTANTIATE_TEST_SUITE_P(All, Int4Stores,
                         testing::ValuesIn(casesIn({Storage::kBuffer, Storage::kPhysical,
                                                    Storage::kWorkgroup, Storage::kWorkgroupBlock,
                                                    Storage::kPrivate, Storage::kFunction})),
                         caseName);

}  // namespace
}  // namespace coopvk::test::int4_storage_test
