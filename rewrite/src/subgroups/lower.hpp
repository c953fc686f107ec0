// SPDX-License-Identifier: Apache-2.0
//
// Subgroups that the device does not have (DeviceTraits::driverSubgroupSize): those of a workgroup
// are its invocations 0 to 31, 32 to 63 and so on, which exchange values through shared memory.
#pragma once

#include "ir/instruction.hpp"
#include "lowering/context.hpp"
#include "lowering/staging.hpp"
#include "subgroups/uniformity.hpp"

namespace coopvk::rewrite {

// Fails if invocations of a workgroup may not reach an operation on its subgroups together, and so
// not the barriers that it becomes; also where the operation has no lowering. Where a workgroup is
// one subgroup, operations on matrices and barriers of the subgroup need no proof, since SPIR-V
// demands it of them. Runs on the program's own code.
std::optional<Error> checkSubgroupFlow(const Module& module, uint32_t lanes);

// Lowers operations on subgroups, also those that other lowerings made: a value goes through shared
// memory, between barriers of the workgroup.
//
//   %r = OpGroupNonUniformShuffle %T %subgroup %x %lane     staging[LocalInvocationIndex] = x
//                                                           barrier
//                                                           r = staging[first lane + lane % 32]
//                                                           barrier
//
// Built-ins come from LocalInvocationIndex; barriers and memory of scope Subgroup get the scope
// Workgroup. Fails if the module's shared memory leaves too little.
std::optional<Error> lowerSubgroups(LoweringContext& context);

// For shaders whose subgroups stay the driver's, the rest of each having no active invocations:
// SubgroupSize is the announced size, and clusters are no larger than the driver's subgroups.
std::optional<Error> keepNarrowSubgroups(LoweringContext& context);

// The parts.

// Built-ins of subgroups become Private variables with what they are by LocalInvocationIndex.
std::optional<Error> replaceSubgroupBuiltIns(TypeTable& types, uint32_t lanes);
// Scopes of barriers, atomics, loads and stores.
void widenScopes(TypeTable& types);
void removeSubgroupCapabilities(Module& module);

// The helper functions: calls of them take the place of operations. Values are held as words of
// their own type, booleans as u32.
class SubgroupFunctions {
 public:
    SubgroupFunctions(LoweringContext& context, Staging& staging)
        : context_(context), staging_(staging) {}

    // The number of the invocation in its subgroup.
    Id lane(Emitter& emit);
    // The value of another lane, by its number.
    Id fromLane(Emitter& emit, Id value, Id lane);
    // The values of lanes combined by an operation on subgroups: of `cluster` lanes, or of all that
    // the subgroup has. `scan`: Reduce, InclusiveScan or ExclusiveScan.
    Id combined(Emitter& emit, spv::Op operation, Id value, spv::GroupOperation scan,
                uint32_t cluster);
    // A bit for each lane with a true boolean.
    Id ballot(Emitter& emit, Id boolean);

    // Whether the operation is one of combined().
    static bool combines(spv::Op operation);
    // The type in which values lie in shared memory.
    static Id heldType(TypeTable& types, Id type);

 private:
    struct Combination;

    Id held(Emitter& emit, Id value);
    Id given(Emitter& emit, Id type, Id held);
    Id exchangeFunction(Id type);
    Id combineFunction(const Combination& combination);
    Id first(Emitter& emit, uint32_t cluster);
    Id count(Emitter& emit, Id first, const Combination& combination);
    void exchange(FunctionBuilder& f, Id type, const std::function<void(AreaAccess&)>& read);

    uint32_t lanes() const { return context_.target.subgroupSize; }

    LoweringContext& context_;
    Staging& staging_;
};

// Kinds of operations on subgroups.

// Whether invocations of a subgroup take part in an instruction: also those without a lowering.
bool isSubgroupOperation(spv::Op opcode);
// Whether lowerSubgroups() lowers it.
bool hasSubgroupLowering(spv::Op opcode);
// The operand that comes from lanes: behind the scope and the GroupOperation, if there are any.
size_t valueOperand(spv::Op opcode);
// Whether that operand goes through memory, and whether a word of bits, or a boolean as one, does.
bool exchangesValue(spv::Op opcode);
bool exchangesBits(spv::Op opcode);

}  // namespace coopvk::rewrite
