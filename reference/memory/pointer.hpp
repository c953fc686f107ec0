// SPDX-License-Identifier: Apache-2.0
//
// Pointers, and the one place through which all accesses to memory go.
#pragma once

#include "execution/frame.hpp"

namespace coopvk::reference {

// A pointer of one lane. As a value a physical pointer has one component, the address; all others
// have two, base and offset.
// base: the address of a Range on the host, or 0 for none; of memory of components: unused. offset:
// bytes, or components.
// Bit 63 of the base says that an index on the way was outside of its array (of a physical pointer
// Subgroup::strays). Bit 63 of an offset in bytes to an integer of 4 bits says that it is in the
// upper half of its byte.
struct Pointer {
    spv::StorageClass storage = spv::StorageClass::Function;
    uint64_t base = 0;
    uint64_t offset = 0;

    bool operator==(const Pointer&) const = default;
};
inline constexpr uint64_t kOutside = uint64_t{1} << 63;
// What a base leads to: null also for bits that are no address, such as those that nothing wrote.
inline const Range* rangeAt(uint64_t base) {
    base &= ~kOutside;
    return base >> 56 == 0 ? reinterpret_cast<const Range*>(base) : nullptr;
}
inline constexpr uint64_t kUpperHalf = uint64_t{1} << 63;
// UniformConstant: the base is the address of the Variable with this bit, which is no Range; the
// offset counts descriptors, kDescriptorBytes each, or bytes in a heap.
inline constexpr uint64_t kVariableBase = uint64_t{1} << 62;
// The variable of such a base, or null.
inline const Variable* variableAt(uint64_t base) {
    return (base & kVariableBase) != 0
               ? reinterpret_cast<const Variable*>(base & ~(kVariableBase | kOutside))
               : nullptr;
}
constexpr bool isHeapOfSamplers(const Variable& variable) {
    return variable.builtIn == uint32_t(spv::BuiltIn::SamplerHeapEXT);
}
// The TexelView to which such a pointer to an image of this type leads, or the SamplerState; null:
// there is none.
const TexelView* texelsAt(Subgroup& s, const Value& pointer, uint32_t lane, const Type& image);
const SamplerState* samplerAt(Subgroup& s, const Value& pointer, uint32_t lane);

inline Pointer pointerAt(const Subgroup& s, const Value& pointer, uint32_t lane) {
    const spv::StorageClass storage = pointer.type->storage;
    if (pointer.components() == 2) return {storage, pointer.at(0, lane), pointer.at(1, lane)};
    return {storage, s.straysOf(pointer).test(lane) ? kOutside : 0, pointer.at(0, lane)};
}

// Outputs that the invocations of a workgroup share: memory, as those for other stages are.
inline constexpr auto kSharedOutput = spv::StorageClass::TaskPayloadWorkgroupEXT;

// Memory of components, of an invocation's own.
constexpr bool holdsComponents(spv::StorageClass storage) {
    using enum spv::StorageClass;
    switch (storage) {
        case Function:
        case Private:
        case Input:
        case Output:
        case RayPayloadKHR:
        case IncomingRayPayloadKHR:
        case CallableDataKHR:
        case IncomingCallableDataKHR:
        case HitAttributeKHR:
        case HitObjectAttributeNV:
        case HitObjectAttributeEXT:
            return true;
        default:
            return false;
    }
}

constexpr MemoryKind kindOf(spv::StorageClass storage) {
    if (holdsComponents(storage) || storage == kSharedOutput) return kOwn;
    return storage == spv::StorageClass::Workgroup      ? kShared
           : storage == spv::StorageClass::PushConstant ? kPushConstants
                                                        : kBuffer;
}
constexpr bool isPhysical(spv::StorageClass storage) {
    return storage == spv::StorageClass::PhysicalStorageBuffer;
}

// The numbers of spv::Scope are in no order.
constexpr Reach reachOf(spv::Scope scope) {
    switch (scope) {
        case spv::Scope::Subgroup:
            return Reach::kSubgroup;
        case spv::Scope::Workgroup:
            return Reach::kWorkgroup;
        case spv::Scope::QueueFamily:
        case spv::Scope::Device:
        case spv::Scope::CrossDevice:
            return Reach::kDevice;
        default:
            return Reach::kInvocation;
    }
}
// `mask`: of spv::MemorySemanticsMask.
Semantics semanticsOf(spv::Scope scope, uint32_t mask);

// Tells observers that a pointer leads to one descriptor in all lanes, or must.
void usesDescriptor(Subgroup& s, uint32_t operand, uint32_t size);
// An instruction accesses so many bytes in each lane through a pointer. `alignment`: see Access.
void usesAddress(Subgroup& s, uint32_t operand, uint32_t size, uint32_t alignment = 0);

// Of an atomic operation.
struct AtomicAccess {
    spv::Scope scope = spv::Scope::Device;
    uint32_t semantics = 0, unequal = 0;  // if it writes, and if it does not
    bool reads = true;
    bool isDefined = true;  // what it adds or stores
    // Of what it adds or stores: an addend, in any order with others, or nothing; whether the
    // result depends on a value that may be another one.
    std::optional<std::pair<numbers::Number, Interval>> addend = {};
    bool deviates = false;
};
// Memory operands from the operand `first` on, if there is one: mask, then its operands. Scopes are
// constants.
Access accessOf(const Program& program, const Instruction& i, uint32_t first);
// The number of the operand behind them.
uint32_t behindAccess(const Instruction& i, uint32_t first);

// Whether `count` of something from `at` on are among the first `size`, also where `at` is huge.
constexpr bool isAmong(uint64_t at, uint64_t count, uint64_t size) {
    return at <= size && size - at >= count;
}

// Bytes of memory.
struct Span {
    std::byte* data = nullptr;
    uint8_t* written = nullptr;   // null: not tracked
    uint32_t* writers = nullptr;  // null: not kept
    uint32_t* readers = nullptr;
    Deviation* deviations = nullptr;
    const Range* range = nullptr;  // in which it is
};
// What an atomic operation makes of the bits that it read; nothing: it does not write.
using Change = std::function<std::optional<uint64_t>(uint64_t)>;

// What instructions access through a pointer, in all storage classes but those of components.
// A lane accesses it: of cooperative matrices the lane that holds the element.
struct Memory {
    Subgroup& s;
    Pointer pointer;
    Access access = {};

    // The bytes [offset, offset + size) from the pointer on; null data if they are outside of the
    // memory (reported, or not).
    Span locate(uint32_t lane, uint64_t offset, uint64_t size, bool reports = true) const;
    // The number of 4 to 64 bits whose first bit is `bit`. Outside of the memory there are zeros.
    // Numbers of 4 bits share bytes: SPV_INTEL_int4, "the first component in every pair is in bits
    // 0-3 of the corresponding byte".
    Element read(uint32_t lane, uint64_t bit, uint32_t bits) const;
    void write(uint32_t lane, uint64_t bit, uint32_t bits, const Element& number) const;
    // A component of a value becomes the number, or the number the component.
    template <bool kStores>
    void move(uint32_t lane, uint64_t bit, uint32_t bits, const Value& value, uint32_t c) const {
        if constexpr (kStores)
            write(lane, bit, bits, value.get(c, lane));
        else
            value.set(c, lane, read(lane, bit, bits));
    }
    // An atomic operation on the `size` bytes (2, 4 or 8) at an offset. It replaces them by
    // change(their bits). Returns the bits before; 0 if they are outside of the memory (reported).
    Element exchange(uint32_t lane, uint64_t offset, uint32_t size, const AtomicAccess& atomic,
                     const Change& change) const;
    // Of these bytes, for observers.
    MemoryAccess accessTo(uint32_t lane, const Span& span, uint64_t size, bool isDefined) const;
};

// Stores a value through operand `pointer` of an instruction that does more than that.
void storeThrough(Subgroup& s, uint32_t pointer, const Value& value);

}  // namespace coopvk::reference
