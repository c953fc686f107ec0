// SPDX-License-Identifier: Apache-2.0
//
// The offset in bytes at which a pointer points into a buffer.
#pragma once

#include "coopvk/result.hpp"
#include "ir/composites.hpp"
#include "ir/module.hpp"
#include "ir/types.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

struct LoweringContext;

// 8- and 16-bit accesses to memory: the features that they need (Vulkan specification, "Shader
// Memory Access"), and the capabilities that a module declares for them.

// The name of the feature that a device lacks for accesses of `bits` bits to a storage class; empty
// if it lacks none.
std::string_view missingForAccess(const DeviceFeatures& device, spv::StorageClass storage,
                                  uint32_t bits);

// Whether the module may make such accesses: the device lacks no feature for them, or for blocks in
// Workgroup memory the module declares the capability.
bool canAccess(const Module& module, const DeviceFeatures& device, spv::StorageClass storage,
               uint32_t bits);

// Declares the capability for such accesses, if there is one.
void declareAccess(Module& module, spv::StorageClass storage, uint32_t bits);

// A place in a buffer. The buffer is that of a variable, one in the resource heap
// (SPV_EXT_descriptor_heap), or the memory behind a physical pointer.
struct BufferPlace {
    enum class Problem { kNone, kNoVariable, kManyDescriptors, kNoLayout };
    Problem problem = Problem::kNone;
    Id root = 0;             // the variable, typed or untyped, or the OpBufferPointerEXT; in shared
                             // memory any pointer to a block; the physical pointer
    bool isAddress = false;  // root is a physical pointer
    std::optional<Id> inHeap = {};      // the operand Buffer, if the root is OpBufferPointerEXT
    std::optional<Id> descriptor = {};  // index, if the variable is an array of descriptors
    Id bytes = 0;                       // from the start of the buffer, of bufferIndexType()
    bool nonUniform = false;

    static BufferPlace unknown() { return {.problem = Problem::kNoVariable}; }
    bool valid() const { return problem == Problem::kNone; }
    // Why a place that is not valid is refused.
    struct Refusal {
        ErrorCode code;
        std::string_view text;
    };
    Refusal refusal() const;
    std::nullopt_t refuse(LoweringContext& context, const Instruction& at) const;

    // Whether views are not variables, but values, which must dominate what uses them.
    bool hasViewValues() const { return isAddress || inHeap; }

    // A number that the same powers of two divide as the place: `bytes`, or half of the address.
    Id lowBits(Emitter& emit) const;

    // For a function that accesses the same buffer: arguments that tell at run time which it is,
    // and the place in the function's code, without `bytes`. Only there may that code use it.
    std::vector<Id> arguments(const Module& module) const;
    BufferPlace inFunction(Emitter& emit, std::span<const Id> parameters) const;
    // What differs between places for which the functions are not the same.
    void appendKey(const Module& module, std::vector<uint32_t>& key) const;
};

// Follows a pointer back to its buffer and emits the arithmetic for the offset.
BufferPlace placeOf(Emitter& emit, Id pointer);

// The offset in bytes (bufferIndexType()) of the member that indices select in a type with explicit
// layout; nullopt if the layout does not tell, or the member is a column of a row-major matrix.
std::optional<Id> bytesTo(Emitter& emit, Id type, std::span<const Id> indices);

// The type that the root of a place points to: the data type of an untyped variable; 0 if the
// pointer alone does not tell.
Id contentsOf(const Module& module, Id root);

// Whether variables in Workgroup memory have an explicit layout. If one has, all have, and all
// start at the same address (SPV_KHR_workgroup_memory_explicit_layout).
bool hasSharedBlocks(const Module& module);
// Whether offsets and strides lay out memory of a storage class.
bool hasLayout(const LoweringContext& context, spv::StorageClass storage);
// Whether elements of `bytes` bytes have no gaps in an array type, or behind pointers of a type.
bool isTight(const LoweringContext& context, spv::StorageClass storage, Id type, uint64_t bytes);
// Whether a logical pointer may be the result of other instructions than access chains.
bool pointersMayVary(const Module& module, spv::StorageClass storage);

// Views of buffers as arrays of another type. Logical addressing has no pointer casts, but a module
// may declare several variables for one binding, and all variables in Workgroup memory with an
// explicit layout lie at its start. Both the view and the original variable become Aliased. The
// view is Coherent or Volatile if the variable or any member of its structure is, and NonWritable
// if the variable or every member is.

class BufferViews {
 public:
    explicit BufferViews(TypeTable& types) : types_(types), module_(types.module()) {}

    // The view of the buffer at a place: an array of `element`, a scalar or vector. A variable for
    // the same memory as place.root, an OpBufferPointerEXT, or the physical pointer as one to this.
    Id view(Emitter& emit, const BufferPlace& place, Id element);
    // A pointer to element number `index` (u32 or u64) of the view. `view`: to use one that exists.
    Id pointer(Emitter& emit, const BufferPlace& place, Id element, Id index, Id view = 0);
    // The operands of an access chain to an element of a view, without the last index.
    std::vector<Id> chainInto(const BufferPlace& place, Id view);
    // Whether no view of the buffer at a place may be written.
    bool isNonWritable(const BufferPlace& place) const {
        return qualifiersOf(place.root, types_.uint32()).nonWritable;
    }
    // The type element[] without gaps.
    Id array(Id element) { return array(element, 0); }
    // A type of pointers to a scalar, by which OpPtrAccessChain steps from one to the next without
    // gaps. No other pointer has it.
    Id stepper(spv::StorageClass storage, Id scalar);

 private:
    struct Qualifiers {
        uint32_t length = 0;       // of the array; 0: a runtime array
        bool bufferBlock = false;  // BufferBlock in place of Block
        bool nonWritable = false, coherent = false, isVolatile = false;
        auto operator<=>(const Qualifiers&) const = default;
    };
    Qualifiers qualifiersOf(Id root, Id element) const;
    Id array(Id element, uint32_t length);
    void declare(Id type, spv::Op opcode, Operands operands);
    Id variableLike(Id variable, Id element);
    Id sharedVariable(Id root, Id element);
    void makeReadable(Id variable);
    Id pointerIntoHeap(Emitter& emit, const BufferPlace& place, Id element);
    Id cast(Emitter& emit, const BufferPlace& place, Id type);
    Id block(Id element, const Qualifiers& qualifiers);
    Id likeDescriptors(Id original, Id block);
    void declareAliased(Id root);
    void declareAliased(Id view, Id variable);

    TypeTable& types_;
    Module& module_;
    std::map<std::pair<Id, Id>, Id> variables_;       // by variable (shared: type) and element
    std::map<std::pair<Id, Qualifiers>, Id> blocks_;  // by element
    std::map<std::pair<Id, uint32_t>, Id> arrays_;    // by element and length
    std::map<std::pair<spv::StorageClass, Id>, Id> steppers_;
};

}  // namespace coopvk::rewrite
