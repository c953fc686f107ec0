// SPDX-License-Identifier: Apache-2.0
//
// What the rewriter does because of faults of drivers. docs/conformance.md, "Faults of drivers that
// the tests found", has more of each. To see whether a version still needs a row, take it out of
// its file, and run its test on the driver.
#include "coopvk/plan.hpp"

namespace coopvk::rewrite {

namespace {

constexpr DriverWorkaround kWorkarounds[] = {
    {"lavapipe", "Mesa 26.1", "a subgroup barrier waits for the whole workgroup",
     "memory barriers, where lanes run in step", "passes/finish.cpp",
     "ControlFlow.*SubgroupsPartAroundBarriers"},
    {"lavapipe", "LLVM 21.1.8", "sums that do not fit registers are overwritten",
     "16 rows at once on CPUs", "plan/classes.cpp", "Columns/VectorMultiply.Matches"},
    {"lavapipe, RADV", "Mesa 26.1", "no OpCopyMemory and OpUndef of matrices",
     "a load and a store; null", "native/memory.cpp", "Pointers.CopyOneMatrix"},
    {"NVIDIA", "580.159.04", "the last subgroup of task and mesh shaders counts as full",
     "each invocation alone, unless all subgroups are full", "vector/lanes.cpp",
     "StageSubgroups.AreCounted"},
    {"NVIDIA", "580.159.04", "SubgroupId is wrong in task and mesh shaders",
     "LocalInvocationIndex divided by the subgroup size", "vector/lanes.cpp",
     "StageSubgroups.AreCounted"},
    {"NVIDIA", "580.159.04", "wrong elements of a shifted array that is undefined at first",
     "zeros first", "vector/product.cpp", "VectorMultiply.Matches"},
    {"NVIDIA", "580.159.04", "stores to shared memory are lost where a lane's range is unknown",
     "the lane's number is masked", "matrix/layout.cpp", "Matrix2Product.MatchesReference"},
    {"NVIDIA", "580.159.04", "minutes for large matrices that move through many branches",
     "they lie like accumulators", "matrix/layout_policy.cpp", "LargeMatrixValues.OfUseB"},
};

}  // namespace

std::span<const DriverWorkaround> driverWorkarounds() { return kWorkarounds; }

}  // namespace coopvk::rewrite
