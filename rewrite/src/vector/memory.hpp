// SPDX-License-Identifier: Apache-2.0
//
// Bytes at a Location, seen from inside the helper function that was called with its arguments.
// Words are u32, lowest byte first; a quad is four words at a multiple of 16 bytes.
#pragma once

#include "ir/memory_operands.hpp"
#include "vector/location.hpp"

namespace coopvk::rewrite {

class VectorMemory {
 public:
    // The location's arguments are the parameters from `firstParameter` on.
    VectorMemory(VectorFunction& function, const Location& location, size_t firstParameter,
                 MemoryOperands access = {});

    // The byte offset that the call passed.
    Id start() const { return start_; }

    // A place to access from: `bytes` (u32) and constants relative to it.
    class Line {
     public:
        Line(VectorMemory& memory, Id bytes) : memory_(memory), bytes_(bytes) {}

        // Words of the quad at byte 16 * index, as many as asked for.
        std::vector<Id> quad(uint32_t index, uint32_t words = 4);
        Id word(uint32_t index);  // at byte 4 * index
        // 1 or 2 bytes at `byte`, a multiple of them, in the low bits of a word.
        Id part(uint32_t byte, uint32_t bytes);
        // `bytes` bytes from the start on as words, the last with zeros beyond; quad by quad.
        std::vector<Id> words(uint32_t bytes);
        // The same from `byte`, a multiple of 16, on; less than 16 bytes.
        std::vector<Id> tail(uint32_t byte, uint32_t bytes);
        Id bytes() const { return bytes_; }

        void storeQuad(uint32_t index, std::span<const Id> words);
        void storeWord(uint32_t index, Id word);
        void storePart(uint32_t byte, uint32_t bytes, Id word);
        void storeWords(uint32_t bytes, std::span<const Id> words);

     private:
        friend class VectorMemory;
        Id unit(uint32_t log2, uint32_t constant);

        VectorMemory& memory_;
        Id bytes_;
        std::map<uint32_t, Id> shifted_;
    };
    Line line(Id bytes) { return Line(*this, bytes); }
    // The quad at byte 16 * index (u32), as four words in a vector. Not for Kind::kElements.
    Id quadAt(Id index) { return load(types_.vectorType(types_.uint32(), 4), index); }

    // Pointer to the `type` (u32 or f32 scalar) at byte 4 * index; 0 where the location has no
    // such view.
    Id wordPointer(Id type, Id index);
    bool isArrayOf(Id type) const;  // wordPointer() has such a view
    spv::StorageClass storage() const { return location_.storage; }
    // Accesses are to what other invocations access, too.
    void makeNonPrivate();
    VectorFunction& function() { return f_; }

 private:
    Id load(Id type, Id index);
    void store(Id type, Id index, Id value);
    Id viewPointer(Id type, Id index);
    Id castTo(Id type);
    Id elementPointer(Id scalarIndex);
    Id loadScalar(Id scalarIndex);
    void storeScalar(Id scalarIndex, Id value);
    Id loadElements(uint32_t bytes, Id index);
    void storeElements(uint32_t bytes, Id index, Id word);
    uint32_t elementBytes() const;
    Id bits(uint32_t bytes);  // unsigned integer of that size

    VectorFunction& f_;
    Emitter& emit_;
    TypeTable& types_;
    const Location& location_;
    size_t first_;
    MemoryOperands access_;
    Id start_ = 0;
    std::map<Id, Id> views_;  // element type -> pointer to the block
};

}  // namespace coopvk::rewrite
