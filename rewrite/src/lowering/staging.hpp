// SPDX-License-Identifier: Apache-2.0
//
// Shared memory through which the invocations of a subgroup pass values to each other: each
// subgroup of a workgroup has a part of it. Barriers follow all accesses.
#pragma once

#include "ir/entry_point.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// The parts of all subgroups, one behind the other.
struct SubgroupArea {
    Id variable = 0;
    Id element = 0;         // a scalar or vector
    uint32_t elements = 0;  // of each subgroup
};

// The variable of an area for each subgroup of a workgroup.
SubgroupArea declareArea(TypeTable& types, std::string_view name, Id element, uint32_t elements,
                         uint32_t subgroups);

// The accesses of the code of one instruction.
class AreaAccess {
 public:
    AreaAccess(Emitter& emit, const SubgroupArea& area, spv::Scope scope = spv::Scope::Subgroup)
        : AreaAccess(emit, area, scope, emit.constant(0)) {}
    // From element `start` (u32) on.
    AreaAccess(Emitter& emit, const SubgroupArea& area, spv::Scope scope, Id start)
        : emit_(emit),
          area_(area),
          scope_(scope),
          start_(start),
          memory_(nonPrivateAccess(emit.module())) {}

    // Elements by their numbers (u32): from `start` on; without one, among those of all subgroups.
    Id pointer(Id index) {
        return emit_.chain(area_.element, {area_.variable, emit_.addU32(start_, index)});
    }
    Id load(Id index) { return emit_.load(area_.element, pointer(index), memory_); }
    void store(Id index, Id value) { emit_.store(pointer(index), value, memory_); }
    void barrier() { sharedBarrier(emit_, scope_); }

 private:
    Emitter& emit_;
    const SubgroupArea area_;
    const spv::Scope scope_;
    const Id start_;
    const Operands memory_;
};

// Accesses to a matrix of the driver (VK_KHR_cooperative_matrix) in memory.
struct DriverLines {
    // In shared memory, with `stride` elements from a line to the next one.
    static DriverLines shared(Emitter& emit, uint32_t stride, bool areColumns = false) {
        return {emit.constant(areColumns ? 1 : 0), emit.constant(stride),
                nonPrivateAccess(emit.module())};
    }

    Id load(Emitter& emit, Id type, Id pointer, std::optional<Id> result = {}) const {
        return emit.op(OpCooperativeMatrixLoadKHR, type, operands({pointer}), result);
    }
    void store(Emitter& emit, Id pointer, Id matrix) const {
        emit.opVoid(OpCooperativeMatrixStoreKHR, operands({pointer, matrix}));
    }
    Operands operands(std::initializer_list<Id> first) const {
        Operands all = idOperands({first.begin(), first.size()});
        append(all, {idOperand(layout), idOperand(stride)});
        append(all, memory);
        return all;
    }

    Id layout = 0;    // MemoryLayout
    Id stride = 0;    // Stride
    Operands memory;  // Memory Operands
};

// Areas of which a lowering reserves as much as any instruction needs, one for each type of
// elements.
class Staging {
 public:
    Staging(LoweringContext& context, uint32_t subgroups)
        : context_(context), subgroups_(subgroups) {}

    // Whether the device has enough shared memory beside the module's, and `more` bytes.
    bool fits(uint64_t more = 0) const;
    // Forgets all reservations.
    void clear() { areas_.clear(); }
    // Reserves elements for each subgroup. All reservations precede the first access.
    void reserve(Id element, uint32_t elements);
    // Declares the variables, so that nothing else takes what is reserved.
    void declare();

    const SubgroupArea& area(Id element);
    // Accesses to this subgroup's part.
    AreaAccess access(FunctionWriter& writer, Id element);

 private:
    LoweringContext& context_;
    uint32_t subgroups_;
    std::map<Id, SubgroupArea> areas_;
};

}  // namespace coopvk::rewrite
