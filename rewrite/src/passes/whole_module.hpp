// SPDX-License-Identifier: Apache-2.0
//
// Passes over a whole module that do not depend on matrices or vectors.
#pragma once

#include <functional>
#include <optional>

#include "ir/module.hpp"
#include "ir/types.hpp"
#include "optimise/fold_constants.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

// Forms of which later passes expect one only.

// Drops debug information of sets older than the non-semantic ones, which compilers of HLSL still
// write. Drivers must know these sets, and they may name functions of other entry points.
void dropSemanticDebugSets(Module& module);

// Turns access chains without indices into copies of their bases:
//
//   %p = OpAccessChain %T %base      %p = OpCopyObject %T %base
void copyBasesOfEmptyChains(Module& module);

// Keeps the entry point with a name and a stage (empty name: the first one of the stage) and the
// functions that it calls; removes all others, since code for other stages is not lowered and could
// not always be. Fails with kInvalidArgument if there is none.
std::optional<Error> keepOneEntryPoint(Module& module, std::string_view name, Stage stage);

// Gives each target of OpGroupDecorate and OpGroupMemberDecorate the group's decorations, and
// removes the groups. Fails with kUnsupported if there are too many targets.
//
//   OpDecorate %group Restrict       OpDecorate %a Restrict
//   OpGroupDecorate %group %a %b     OpDecorate %b Restrict
std::optional<Error> flattenDecorationGroups(Module& module);

// SPV_EXT_replicated_composites: gives composites of one value as many constituents as their type
// has. Runs after specialisation, and after the passes that lower replicated composites of their
// types. If the extension is not emulated, only its declarations go, and only where no such
// composite is left.
//
//   %v = OpConstantCompositeReplicateEXT %vec3 %x      %v = OpConstantComposite %vec3 %x %x %x
std::optional<Error> expandReplicatedComposites(Module& module, bool isEmulated);

// Vulkan lets fma() round the product or not: it becomes what always rounds it.
//
//   %r = OpExtInst %f32 %glsl Fma %a %b %c             %p = OpFMul %f32 %a %b
//                                                      %r = OpFAdd %f32 %p %c
void divideFusedMultiplyAdds(TypeTable& types);
// Gives additions and multiplications of floats NoContraction, unless they say how they contract.
void forbidContractions(Module& module);

// Gives each loop whose header is its own continue target another one: a block that only branches
// back. Lowering may then put control flow into all blocks of the loop; the continue target stays
// one that no selection or loop merges at.
//
//   h: a; merge(end, h);                     h: a; merge(end, c); branch to c
//      branch to h if more, else to end      c: branch to h if more, else to end
void separateContinueTargets(TypeTable& types);
// Whether a loop is left for which separateContinueTargets() has work.
bool sharesContinueTarget(const Module& module);

// Drops what a module promises of code that lowering changes: that a function is Pure or Const, how
// often a loop iterates, and that a matrix is Uniform, of which each invocation may hold another
// part.
//
//   OpDecorate %matrix Uniform                         none
//   %f = OpFunction %T Pure %type                      %f = OpFunction %T None %type
void dropPromises(Module& module);

// Corrects what compilers write though SPIR-V does not allow it, and what can only mean one thing;
// says in `notes` what it took for what. Runs after specialisation.
//
//   %d = OpISub %floats %a %b                          %d = OpFSub %floats %a %b
//   OpCooperativeMatrixPerElementOpNV ... %structure   OpStore %variable %structure; ... %variable
//   %p = OpBitcast %physical %shared                   the instruction on cooperative vectors that
//                                                      takes %p takes %shared
//
// Fails with kUnsupported if another instruction takes such a cast, and where checkOperands() does.
std::optional<Error> correctForeignForms(TypeTable& types, std::vector<std::string>& notes);

// SPV_NV_shader_sm_builtins: SMCountNV and WarpsPerSMNV become constants of the device. SMIDNV and
// WarpIDNV become Arm's built-ins where the device has these, else numbers that count workgroups
// and subgroups (in other stages than compute zero), with a warning: these do not tell what runs
// where. Fails with kUnsupported if something other than loads takes their variables.
//
//   %v = OpVariable %pointer Input                     %v = OpVariable %private Private %count
//   OpDecorate %v BuiltIn SMCountNV
std::optional<Error> replaceSmBuiltIns(TypeTable& types, const DeviceFeatures& device,
                                       std::vector<std::string>& warnings);

// Specialization constants become constants.

// Turns OpSpecConstant* into OpConstant* with the pipeline's values or their defaults, and removes
// SpecId. Fails if an entry's size is not that of its constant
// (VUID-VkSpecializationMapEntry-constantID-00776).
std::optional<Error> specialise(TypeTable& types, std::span<const SpecializationEntry> entries);

// Fails if an array has no elements: a specialization constant that is its length may be zero by
// default.
std::optional<Error> checkArrayLengths(const Module& module);

// Folds OpSpecConstantOp and composites of constants. Runs again once lengths of matrices are
// known.
void foldSpecConstants(TypeTable& types, const MatrixLength& length);

// VK_EXT_shader_atomic_float for 32-bit floats in buffers.

// Bits of Extension::kExtShaderAtomicFloat in ExtensionFeatures: members of
// VkPhysicalDeviceShaderAtomicFloatFeaturesEXT.
inline constexpr uint32_t kBufferFloat32Atomics = 1u << 0;
inline constexpr uint32_t kBufferFloat32AtomicAdd = 1u << 1;
inline constexpr uint32_t kSharedFloat32AtomicAdd = 1u << 5;
// shaderImageFloat32Atomics, sparseImageFloat32Atomics and the AtomicAdd feature of each.
inline constexpr uint32_t kImageFloat32Atomics = 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11;
// The features that allow the capability AtomicFloat32AddEXT.
inline constexpr uint32_t kFloat32AtomicAdds =
    kBufferFloat32AtomicAdd | kSharedFloat32AtomicAdd | 1u << 9 | 1u << 11;

// Whether the words of a module have atomics of 32-bit floats in buffers that the features in
// `native` do not allow. No capability declares loads, stores and exchanges.
bool hasFloatAtomics(std::span<const uint32_t> words, uint32_t native);

// Lowers OpAtomicLoad, OpAtomicStore, OpAtomicExchange and OpAtomicFAddEXT of 32-bit floats in
// buffers to atomics of u32, unless features in `native` allow them. Fails if the buffer is not
// known, as for pointers that are function parameters.
//
//   %old = OpAtomicFAddEXT %f32 %p %scope %semantics %x
//
//   old = load(p as u32)
//   do { seen = old; old = compareExchange(p as u32, seen, bits(float(seen) + x)) }
//   while (old != seen)
std::optional<Error> lowerFloatAtomics(TypeTable& types, uint32_t native);

// What follows from lowering.

// For DevicePlan::lanesInStep: replaces each OpControlBarrier with Execution scope Subgroup by an
// OpMemoryBarrier, or by nothing if it orders no memory. Such a driver does not need these, and
// skips the code after one if another subgroup of the workgroup does not reach it. Specialization
// constants must be frozen.
void removeSubgroupBarriers(Module& module);

// Declares SubgroupUniformControlFlowKHR where the device has it and the module needs it: code that
// lowering adds has invocations part and meet again, and then operations on the subgroup. Without a
// mode SPIR-V promises that they meet only where the whole workgroup parted there.
void declareReconvergence(Module& module, const DeviceFeatures& device, Stage stage,
                          uint32_t subgroupSize);

// Views of a buffer and its original variable are Aliased (lowering/place.hpp). Where only one of
// them is left, or nothing writes to them, they are Aliased no more, so that drivers may still move
// accesses to them.
void restoreAliasing(Module& module);

// Drops untyped pointers, variable pointers and rounding modes that no instruction needs any more,
// and non-semantic instructions that name what is gone. Adds variables that lowering made to the
// interface of each entry point, and requires the version that operations on subgroups need.
void completeDeclarations(Module& module);

}  // namespace coopvk::rewrite
