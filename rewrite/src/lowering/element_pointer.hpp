// SPDX-License-Identifier: Apache-2.0
//
// Pointers to Pointer[index] and to components of it, for the Pointer operand of matrix loads and
// stores, in whichever addressing the module uses.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

class ElementPointer {
 public:
    // `at` is named in errors. The pointer must point to a numeric scalar or vector.
    ElementPointer(LoweringContext& context, Emitter& emit, Id pointer, const Instruction& at);

    bool valid() const { return scalar_ != 0; }
    Id scalar() const { return scalar_; }                // component type of the pointee
    uint32_t components() const { return components_; }  // of the pointee
    uint32_t scalarBytes() const { return scalarBytes_; }
    uint32_t pointeeBytes() const { return scalarBytes_ * components_; }
    bool isPhysical() const { return isPhysical_; }
    Id pointee() const { return pointee_; }

    // Type of indices: u32, or u64 where addresses have 64 bits and the module has such integers.
    Id indexType() const { return indexType_; }
    // A scalar integer of any type as indexType().
    Id asIndex(Emitter& emit, Id integer);

    // What `index` counts from: add it to every index given below.
    Id origin() const { return origin_; }
    // Pointer to Pointer[index - origin()], or to one component of it (component: u32, 0 for the
    // whole pointee).
    Id at(Emitter& emit, Id index, Id component = 0);

 private:
    void resolve(Emitter& emit, Id pointer, const Instruction& at);
    bool pointsIntoArray(const Instruction& chain) const;

    LoweringContext& context_;
    spv::Op chain_ = spv::Op::OpAccessChain;
    Id base_ = 0;
    std::vector<Id> prefix_;
    Id pointerType_ = 0;
    Id pointee_ = 0;
    Id scalar_ = 0;
    uint32_t components_ = 1;
    uint32_t scalarBytes_ = 1;
    spv::StorageClass storage_ = spv::StorageClass::StorageBuffer;
    bool isPhysical_ = false;
    Id indexType_ = 0;
    Id origin_ = 0;
};

}  // namespace coopvk::rewrite
