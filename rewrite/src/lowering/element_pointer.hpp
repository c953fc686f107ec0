// SPDX-License-Identifier: Apache-2.0
//
// Pointers to Pointer[index] and its components, for the Pointer operand of matrix loads and
// stores, with logical or physical addressing. Pointer[] has no gaps, whatever ArrayStride is
// (SPV_KHR_cooperative_matrix). Behind an untyped pointer lies an array of the matrix's components.
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/module.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

class Multiples;

// The type as which components of a matrix are accessed behind an untyped pointer: their own, or
// integers if the device cannot access those. Declares the capability of such accesses.
Id untypedPointee(LoweringContext& context, spv::StorageClass storage, Id component);

// Whether a typed pointer is an access chain to an element of an array without gaps.
bool pointsIntoTightArray(const LoweringContext& context, Id pointer);

// A power of two that divides the bytes between the root of a pointer's access chains and what it
// points to.
uint32_t multipleBehindRoot(LoweringContext& context, const Multiples& known, Id pointer);

// How ElementPointer::inWords() accesses a matrix.
struct WordAccess {
    const Multiples& known;
    uint32_t bytes;      // of a pointee: 4, 8 or 16
    bool isChecked;      // by the shader, if it is not known before that reaches() is true
    Id stride;           // the operand
    uint32_t alignment;  // of Pointer, if it is physical: as the instruction says
};

class ElementPointer {
 public:
    // Errors name `at`. A typed pointer must point to a numeric scalar or vector; `component` is
    // for untyped ones. Scalars of more than `widest` bytes become words, where memory has views.
    ElementPointer(LoweringContext& context, Emitter& emit, Id pointer, const Instruction& at,
                   Id component, uint32_t widest = 8);
    // Elements of an array, to which `prefix` leads: operands of an access chain without the last
    // index; or behind the one that a pointer points to, if that `steps`.
    ElementPointer(LoweringContext& context, spv::StorageClass storage, Id element,
                   std::vector<Id> prefix, bool steps, bool isNonUniform);
    // Through a view of a buffer as words, or vectors of words. It may be used where reaches() is
    // true. nullopt without such a view, if it is never true, or if original pointees are as wide.
    static std::optional<ElementPointer> inWords(LoweringContext& context, Emitter& emit,
                                                 Id pointer, Id component,
                                                 const WordAccess& access);
    // Whether Pointer and Stride are multiples of pointeeBytes(). If code may read beyond the
    // buffer's end: whether its length is one, too, and Pointer leads into the buffer.
    Condition reaches() const { return reaches_; }

    bool valid() const { return scalar_ != 0; }
    // Of the pointee. It is a scalar where an array has gaps, or its scalars become words.
    Id scalar() const { return scalar_; }  // its component type
    uint32_t components() const { return components_; }
    uint32_t scalarBytes() const { return scalarBytes_; }
    uint32_t pointeeBytes() const { return scalarBytes_ * components_; }
    Id pointee() const { return pointee_; }

    // Type of indices.
    Id indexType() const { return indexType_; }
    // Converts an integer scalar to indexType().
    Id asIndex(Emitter& emit, Id integer) const;
    // The operand Stride as a number of pointees, of indexType(). It counts bytes if the pointer is
    // untyped (SPV_KHR_untyped_pointers), else original pointees.
    Id stride(Emitter& emit, Id operand);
    // The alignment that accesses by inWords() must name, in bytes; 0: none.
    uint32_t alignment() const { return originalBytes_ != 0 && isPhysical() ? pointeeBytes() : 0; }
    // Whether stride() is another number than the operand: accesses by at() need that then.
    bool changesStride() const {
        return perOriginal_ != 1 || (isUntyped_ && chain_ == OpAccessChain);
    }

    // at(origin() + n) points to Pointer[n]. Callers add origin() once for many elements.
    Id origin() const { return origin_; }
    // The elements of a variable from Pointer on; nullopt if an index or a length is not constant.
    std::optional<uint64_t> count() const;
    // With `component`, a u32, a pointer to this component of the pointee; 0: to the whole pointee.
    Id at(Emitter& emit, Id index, Id component = 0) const;

 private:
    ElementPointer(LoweringContext& context, Id pointer);
    bool isPhysical() const { return storage_ == spv::StorageClass::PhysicalStorageBuffer; }
    bool intoWords(Emitter& emit, Id pointer, Id original, const WordAccess& access);
    void resolve(Emitter& emit, Id pointer, const Instruction& at);
    void resolveUntyped(Emitter& emit, Id pointer);
    bool resolveInArrays(Emitter& emit, Id pointer);
    bool hasNoGaps(std::span<const Id> types, size_t level, uint64_t bytes) const;
    bool resolveByStep(Id pointer);
    bool resolveInView(Emitter& emit, Id pointer);
    bool resolveByScalars(Emitter& emit, Id pointer);
    void intoView(Emitter& emit, const BufferPlace& place);
    void becomeScalars();
    void becomeNarrowScalars();
    Id constantIndex(uint32_t value) const;
    uint32_t unitsInPointee() const;
    // A number, which may be negative, over a power of two that divides it.
    Id overSigned(Emitter& emit, Id units, uint32_t powerOfTwo);
    Id strideInWords(Emitter& emit, Id units);

    LoweringContext* context_;
    bool isUntyped_ = false;     // the original pointer
    bool isNonUniform_ = false;  // as the original pointer
    spv::Op chain_ = OpAccessChain;
    std::vector<Id> prefix_;               // operands before the indices
    std::vector<uint32_t> lengths_ = {0};  // for each index, innermost first; 0: not known
    Id pointerType_ = 0;
    Id pointee_ = 0;
    Id scalar_ = 0;
    uint32_t components_ = 1;
    uint32_t perOriginal_ = 1;    // pointees in an original one
    uint32_t originalBytes_ = 0;  // that the operand Stride counts; 0: not inWords()
    Condition reaches_ = Condition::always();
    uint32_t widest_ = 8;
    uint32_t scalarBytes_ = 1;
    spv::StorageClass storage_ = spv::StorageClass::StorageBuffer;
    Id indexType_ = 0;
    Id origin_ = 0;
};

}  // namespace coopvk::rewrite
