// SPDX-License-Identifier: Apache-2.0
//
// Where a cooperative-vector instruction reads or writes memory, and accesses to it.
#pragma once

#include "ir/memory_operands.hpp"
#include "lowering/number.hpp"
#include "lowering/place.hpp"
#include "vector/context.hpp"

namespace coopvk::rewrite {

// A pointer to an array plus an offset in bytes, split into what a helper function is made for and
// what a call passes to it. Buffers are accessed through views (lowering/buffer_views.hpp), so that
// the width of an access depends on the alignment that the extension guarantees, and not on the
// type of the application's array.
struct Location {
    enum class Kind : uint32_t {
        kBuffer,    // a StorageBuffer variable, through a view
        kPhysical,  // a 64-bit address
        kElements,  // anything else: through the array's elements
    };
    Kind kind = Kind::kElements;
    spv::StorageClass storage = spv::StorageClass::StorageBuffer;
    // kBuffer, kElements: the module-scope variable that the pointer starts at (0: none); kBuffer:
    // where in it the pointer points, without the byte offset.
    BufferPlace place;
    Id element = 0;  // kElements: element type of the array
    // Passed to the helper function: address or descriptor index; or pointer, if it starts at no
    // variable, and indices; then the byte offset, a u32.
    std::vector<Id> arguments;
    std::vector<Id> argumentTypes;

    bool valid() const { return !arguments.empty(); }
    void appendKey(std::vector<uint32_t>& key) const;
    // kElements: whether the first argument is the pointer that the chain of indices starts at.
    bool passesPointer() const { return kind == Kind::kElements && place.variable == 0; }
    size_t firstIndex() const { return passesPointer() ? 1 : 0; }
};

// Follows `pointer` back to where it starts; emits the offset into the caller. `at` is named in
// errors; an invalid location is returned after one.
Location locate(VectorContext& context, Emitter& emit, Id pointer, Id byteOffset,
                const Instruction& at);

// Bytes at a location, seen from inside the helper function that was called with its arguments.
class VectorMemory : private VectorCode {
 public:
    // The location's arguments are the parameters from `firstParameter` on.
    VectorMemory(VectorFunction& function, const Location& location, size_t firstParameter,
                 MemoryOperands access = {});

    // The byte offset that the call passed.
    Id start() const { return start_; }

    // A place to access from: bytes() (u32) and constants relative to it.
    class Line {
     public:
        Line(VectorMemory& memory, Id bytes) : memory_(memory), bytes_(bytes) {}

        Id bytes() const { return bytes_; }
        // `bytes` bytes from `byte` on as words (u32), lowest byte first, the last with zeros
        // beyond. Accesses are of 16, 4, 2 and 1 bytes in this order; `byte` is a multiple of the
        // widest of them.
        std::vector<Id> load(uint32_t byte, uint32_t bytes);
        void store(uint32_t byte, uint32_t bytes, std::span<const Id> words);

     private:
        Id index(uint32_t byte, uint32_t bytes);
        std::vector<Id> loadPiece(uint32_t byte, uint32_t bytes);
        void storePiece(uint32_t byte, uint32_t bytes, std::span<const Id> words);

        VectorMemory& memory_;
        Id bytes_;
        std::map<uint32_t, Id> divided_;  // bytes_ by the size of an access
    };
    Line line(Id bytes) { return Line(*this, bytes); }
    // At `bytes` bytes (u32) behind start().
    Line behind(Id bytes) { return line(addU32(start_, bytes)); }
    // The 16 bytes at byte 16 * index (u32), as four words in a vector. Not for Kind::kElements.
    Id quadAt(Id index) { return load(bits(16), index); }

    // Pointer to the `type` (u32 or f32 scalar) at byte 4 * index; 0 where there is none.
    Id wordPointer(Id type, Id index);
    bool isArrayOf(Id type) const;  // wordPointer() is not 0
    spv::StorageClass storage() const { return location_.storage; }
    // Accesses are to what other invocations access, too.
    void makeNonPrivate();

 private:
    bool byElements() const { return location_.kind == Location::Kind::kElements; }
    Id load(Id type, Id index);
    void store(Id type, Id index, Id value);
    Id viewPointer(Id type, Id index);
    Id castTo(Id type);
    Id elementPointer(Id scalarIndex);
    Id loadScalar(Id scalarIndex);
    void storeScalar(Id scalarIndex, Id value);
    Id loadElements(uint32_t bytes, Id index);
    void storeElements(uint32_t bytes, Id index, Id word);
    uint32_t elementBytes() const { return types_.width(location_.element) / 8; }
    Id bits(uint32_t bytes);  // unsigned integer of that size, or four words

    const Location& location_;
    size_t first_;
    MemoryOperands access_;
    Id start_ = 0;
    std::map<Id, Id> views_;  // kPhysical: pointers to blocks by element type
};

// Atomic additions of f32 and f16 numbers to memory, by whatever the device and the memory's type
// allow: float atomics, compare-exchange of words, exchange of floats, or a lock.
class Accumulator : private VectorCode {
 public:
    // `number`: of those in memory, f16 or f32.
    Accumulator(VectorFunction& function, VectorMemory& memory, const Number& number);

    // False where the memory cannot be added to atomically.
    bool valid() const { return way_ != Way::kNone; }
    // Numbers that one addition takes: those of a word.
    uint32_t perWord() const { return 32 / number_.bits; }

    // Adds `values` (f32, one or two) to the numbers from `byte` (u32, a multiple of 4) on.
    void add(Id byte, std::span<const Id> values);
    // The same, by one invocation for all that are active: they must agree on `byte`.
    void addReduced(Id byte, std::span<const Id> values);

 private:
    enum class Way { kNone, kFloatAdd, kCompareExchange, kExchange, kLock };
    void addByWord(Id pointer, std::span<const Id> values);
    void addByExchange(Id pointer, Id value);
    void addLocked(Id byte, std::span<const Id> values);
    Id sum(Id word, std::span<const Id> values);
    // An atomic instruction on a pointer, relaxed; `more`: its operands behind the semantics.
    Id atomic(spv::Op opcode, Id pointer, std::initializer_list<Id> more);

    VectorMemory& memory_;
    const Number& number_;
    Way way_ = Way::kNone;
};

// Behind all lowering: where a lock is used, every workgroup starts with setting it free. (An
// initialiser would need shaderZeroInitializeWorkgroupMemory.)
void initialiseLock(VectorContext& context);

}  // namespace coopvk::rewrite
