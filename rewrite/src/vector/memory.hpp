// SPDX-License-Identifier: Apache-2.0
//
// The memory that a cooperative-vector instruction reads or writes, and accesses to it.
#pragma once

#include <algorithm>

#include "lowering/memory.hpp"
#include "lowering/number.hpp"
#include "vector/context.hpp"

namespace coopvk::rewrite {

// Bytes of the widest access.
inline constexpr uint32_t kWidestAccess = 16;

// A pointer to an array and an offset in bytes: a static part, for which a helper function is
// built, and arguments of its call. Accesses to buffers use views (lowering/place.hpp): the
// extension guarantees an alignment that allows wider accesses than the type of the array does.
// Modules that break its rules get narrower ones (obeyAlignment()).
struct Location {
    enum class Kind : uint32_t {
        // A buffer of storage class StorageBuffer, or behind a physical pointer, through views.
        // `place`: in the buffer, without the byte offset. Arguments: those of the place.
        kPlace,
        // Any other memory, through the array's elements. place.root: the module-scope variable at
        // which the pointer's access chain starts; 0: none. Arguments: the pointer, if there is no
        // variable, and the indices.
        kElements,
    };
    Kind kind = Kind::kElements;
    spv::StorageClass storage = spv::StorageClass::StorageBuffer;
    BufferPlace place;
    Id element = 0;      // kElements: element type of the array
    bool steps = false;  // kElements: the pointer is to the first element, else to the array
    // A power of two of bytes: no access is wider. Less than kWidestAccess if the module breaks
    // the rules for the offset.
    uint32_t alignment = kWidestAccess;
    // Of the helper function: last the byte offset, a u32, or a u64 with 64-bit indexing.
    std::vector<Id> arguments;
    std::vector<Id> argumentTypes;
    std::string_view problem;  // why it is not valid
    ErrorCode code = ErrorCode::kUnsupported;

    bool valid() const { return !arguments.empty(); }
    void appendKey(const Module& module, std::vector<uint32_t>& key) const;
    // Whether the first argument is the pointer to which the indices apply.
    bool passesPointer() const { return kind == Kind::kElements && place.root == 0; }
    size_t firstIndex() const { return passesPointer() ? 1 : 0; }
};

// Follows `pointer` back to its variable or address; emits the byte offset into the caller.
Location locate(VectorContext& context, Emitter& emit, Id pointer, Id byteOffset);
// The same. If the location is not valid, it is an error of instruction `at`.
Location locate(VectorContext& context, Emitter& emit, Id pointer, Id byteOffset,
                const Instruction& at);

// What Vulkan asks of a number of bytes: to be a multiple of `bytes`.
struct AlignmentRule {
    uint32_t bytes;
    std::string_view what, vuid;
};
inline constexpr std::string_view kVuid = "VUID-RuntimeSpirv-OpCooperativeVector";
inline constexpr AlignmentRule kVectorRule = {16, "the place of a vector", "LoadNV-10099"};
inline constexpr AlignmentRule kMatrixRule = {64, "the place of a matrix", "MatrixMulNV-10097"};
inline constexpr AlignmentRule kStrideRule = {16, "MatrixStride", "MatrixMulNV-10096"};
inline constexpr AlignmentRule kBiasRule = {16, "the place of a bias", "MatrixMulAddNV-10098"};
inline constexpr AlignmentRule kSumRule = {16, "the place of a sum", "ReduceSumAccumulateNV-10100"};
inline constexpr AlignmentRule kOuterProductRule = {64, "the place of an outer product",
                                                    "OuterProductAccumulateNV-10101"};
// For its MatrixStride Vulkan has no rule.
inline constexpr AlignmentRule kOuterStrideRule = {4, "MatrixStride", kOuterProductRule.vuid};

// Narrows the accesses to a location if its constants, or numbers of invocations, break the rule.
// The same for an integer that is added to the offset any number of times. Warns of that.
void obeyAlignment(VectorContext& context, Location& location, const AlignmentRule& rule);
void obeyAlignment(VectorContext& context, Location& location, Id stride,
                   const AlignmentRule& rule);

// Accesses to a location inside a helper function that takes its arguments.
class VectorMemory : private VectorCode {
 public:
    // The function's parameters from `firstParameter` on are the location's arguments.
    VectorMemory(VectorFunction& function, const Location& location, size_t firstParameter,
                 MemoryOperands access = {});

    // The argument with the byte offset: u32 or u64, as all offsets and indices from it.
    Id start() const { return start_; }

    // Accesses at constant distances from a byte offset.
    class Line {
     public:
        Line(VectorMemory& memory, Id bytes, uint32_t quadBytes)
            : memory_(memory), bytes_(bytes), quadBytes_(quadBytes) {}

        // The byte offset.
        Id bytes() const { return bytes_; }
        // Loads `bytes` bytes from bytes() + `byte` on as words (u32), lowest byte first; the last
        // word is filled with zeros. Accesses have 16, 4, 2 and 1 bytes, in this order, and none
        // more than Location::alignment; `byte` must be a multiple of the widest.
        std::vector<Id> load(uint32_t byte, uint32_t bytes);
        void store(uint32_t byte, uint32_t bytes, std::span<const Id> words);

     private:
        Id index(uint32_t byte, uint32_t bytes);
        Id elementIndex(uint32_t byte, uint32_t bytes) {
            return index(byte, std::min(bytes, memory_.elementBytes()));
        }
        uint32_t widestAccess(uint32_t bytes) const;
        std::vector<Id> loadPiece(uint32_t byte, uint32_t bytes);
        void storePiece(uint32_t byte, uint32_t bytes, std::span<const Id> words);

        VectorMemory& memory_;
        Id bytes_;
        uint32_t quadBytes_;
    };
    // `quadBytes`: from 16 bytes of the line to the next ones. Then the byte offset is a multiple
    // of 16, and no access goes beyond 16 bytes that lie together.
    Line line(Id bytes, uint32_t quadBytes = 16) { return Line(*this, bytes, quadBytes); }
    // At start() + `bytes`.
    Line fromStart(Id bytes, uint32_t quadBytes = 16) {
        return line(emit_.sum(start_, bytes), quadBytes);
    }
    // The 16 bytes from byte 16 * index on, as a vector of four words. Not for kElements.
    Id quadAt(Id index) { return array_->load(emit_, bits(16), index); }
    Id quadPointer(Id index) { return array_->pointer(emit_, bits(16), index); }
    // Memory operands for an instruction that reads quads.
    Operands quadAccess() { return array_->operands().forLoad(16); }

    // Whether pointers to `type`, a scalar of 32 bits, can access the memory.
    bool isArrayOf(Id type) const;
    // Pointer to the `type` at byte 4 * index, if isArrayOf(type).
    Id wordPointer(Id type, Id index) { return array_->pointer(emit_, type, index); }
    spv::StorageClass storage() const { return location_.storage; }
    // Declares that other invocations access the memory, too. Only of elements, not of a place.
    void makeNonPrivate();

 private:
    bool byElements() const { return location_.kind == Location::Kind::kElements; }
    void declare(Id type);
    void useElements();
    ScalarIndex scalarsAt(Id index, uint32_t count) const;
    std::vector<Id> loadElements(uint32_t bytes, Id index);
    void storeElements(uint32_t bytes, Id index, std::span<const Id> words);
    uint32_t elementBytes() const { return types_.width(location_.element) / 8; }
    Id bits(uint32_t bytes);  // an unsigned integer type of that size; for 16, a vector of words

    const Location& location_;
    size_t first_;
    MemoryOperands access_;
    Id start_ = 0;
    std::optional<Memory> array_;
};

// Atomic additions of f32 and f16 numbers to memory. The device and the memory's type decide the
// method: float atomics, compare-exchange of words, exchange of floats, or a lock.
class Accumulator : private VectorCode {
 public:
    // `number`: the format in memory, f16 or f32.
    Accumulator(VectorFunction& function, VectorMemory& memory, const Number& number);

    // False if the device has no method for this memory.
    bool valid() const { return method_ != Method::kNone; }
    // Numbers in a word, which one addition changes together.
    uint32_t perWord() const { return 32 / number_.bits; }

    // Adds `values` (f32, one or two) to the numbers from `byte` (a multiple of 4) on.
    void add(Id byte, std::span<const Id> values);
    // One invocation adds the sums over all active ones, for which `byte` must be equal.
    void addReduced(Id byte, std::span<const Id> values);

 private:
    enum class Method { kNone, kFloatAdd, kCompareExchange, kExchange, kLocked };
    void addByWord(Id pointer, std::span<const Id> values);
    void addByExchange(Id pointer, Id value);
    void addLocked(Id byte, std::span<const Id> values);
    Id sum(Id word, std::span<const Id> values);
    // A relaxed atomic instruction; `more`: its operands after the memory semantics.
    Id atomic(spv::Op opcode, Id pointer, std::initializer_list<Id> more);

    VectorMemory& memory_;
    const Number& number_;
    Method method_ = Method::kNone;
};

// After all lowering: if there is a lock, unlocks it where the shader starts. (An initializer would
// need shaderZeroInitializeWorkgroupMemory.)
void initialiseLock(VectorContext& context);

}  // namespace coopvk::rewrite
