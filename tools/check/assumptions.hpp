// SPDX-License-Identifier: Apache-2.0
//
// What proofs assume, in bits and in words (docs/developers/proof-rules.md, "What proofs print").
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "module.hpp"

namespace coopvk::check {

// Beside reference::Assumption: SubgroupLocalInvocationId follows from LocalInvocationIndex, and
// subgroups are full.
inline constexpr uint32_t kLanesInOrder = 1u << 16;
// Elements lie in lanes as the reference device has them.
inline constexpr uint32_t kElementLayout = 1u << 17;
// Descriptors share no memory, although they may; uniform buffers and push constants are those
// of no dispatch.
inline constexpr uint32_t kBindingsApart = 1u << 18, kMadeUpValues = 1u << 19;
// Lanes that part meet at merge blocks, on which the original relies although nothing promises it.
inline constexpr uint32_t kLanesMeet = 1u << 20;
// Optimal layouts are those of the reference device; Volatile memory changes by accesses alone.
inline constexpr uint32_t kOptimalLayouts = 1u << 21, kVolatileMemory = 1u << 22;
// The device has what only the rewritten module needs; addresses in memory are known.
inline constexpr uint32_t kDeviceNeeds = 1u << 23, kKnownAddresses = 1u << 24;
// Pointers that are Restrict or not Aliased in the rewritten module are so in the original.
inline constexpr uint32_t kRestrictPointers = 1u << 25;
// Outputs that invocations share have no races, and OpSetMeshOutputsEXT comes before them.
inline constexpr uint32_t kSharedOutputs = 1u << 26;
// Sizes of buffers, numbers of workgroups and specialization constants are those of the dispatch.
inline constexpr uint32_t kThisDispatch = 1u << 27;
// Descriptors and variables start where matrices, vectors and aligned accesses may.
inline constexpr uint32_t kAlignedDescriptors = 1u << 28;
// Nothing outside of the dispatch changes the rest of a word that is stored in part.
inline constexpr uint32_t kRestsOfWords = 1u << 29;
// Others may be anything.
inline constexpr uint32_t kOneEntryPoint = 1u << 30;
// Pointers that are moved or compared stay in their arrays.
inline constexpr uint32_t kInArrays = 1u << 11;
// Denormals are flushed where the reference device does it, packHalf2x16() rounds to nearest, and
// without the Vulkan memory model control barriers acquire what was released before them.
inline constexpr uint32_t kFlushedDenorms = 1u << 12, kPackedHalves = 1u << 13,
                          kPlainBarriers = 1u << 14;
// Those that follow from what is in a module of this stage.
uint32_t assumedOf(const Module& module, spv::ExecutionModel stage);
// Of all memory operands, in bytes; 0: none says it.
uint32_t largestAlignment(const Module& module);
// Whether it has cooperative matrices or vectors.
bool hasMatrices(const Module& module);
// Whether it has operations of subgroups.
bool usesLanes(const Module& module);
// In words.
std::vector<std::string_view> assumptionsOf(uint32_t assumptions);

}  // namespace coopvk::check
