// SPDX-License-Identifier: Apache-2.0
//
// Memory of a proof: what is a symbol in it, and which numbers are compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "coopvk_reference/symbols.hpp"
#include "side.hpp"

namespace coopvk::check {

// Symbols for all contents but pointers, and parameters in uniform buffers.
class SymbolicMemory {
 public:
    SymbolicMemory(const Module& module, const Memory& memory, reference::Symbols& symbols);
    const std::vector<std::vector<reference::Deviation>>& deviations() const { return deviations_; }
    // Whether words are addresses by their types. Their values are known.
    bool hasAddresses() const { return hasAddresses_; }
    // A byte of a word that may be an address, by its type.
    bool mayBeAddress(size_t buffer, uint64_t offset) const {
        return mayBeAddress_[buffer][offset];
    }

 private:
    std::vector<std::vector<reference::Deviation>> deviations_;  // by buffer
    std::vector<std::vector<bool>> mayBeAddress_;                // the same
    bool hasAddresses_ = false;
};

// Bytes that a comparison takes for one number.
struct WrittenNumber {
    uint64_t offset = 0;
    uint32_t size = 1;
    std::optional<reference::numbers::Number> format = {};  // of a float
};

// The float formats in which instructions store, by their positions.
class StoredFloats {
 public:
    StoredFloats(const Module& module, const Interface& interface);
    // Of what stored all of these bytes last; nothing: integers, several formats, or nobody.
    std::optional<reference::numbers::Number> at(const Accesses& writers, uint64_t offset,
                                                 uint32_t size) const;

 private:
    std::map<uint32_t, reference::numbers::Number> formats_;
};

// In the formats in which the native side wrote them; each byte once. A float is only what a store
// of floats left: else each bit counts, also that of a NaN.
std::vector<WrittenNumber> numbersOf(const Module& module, const Memory& memory, size_t buffer,
                                     const Execution& native, const StoredFloats& stored);

// A descriptor that nothing accesses need not be there.
bool isAccessed(const Accessed& buffer);
// Whether somebody stores a part of the number of 8 bytes in which this byte is.
bool isInStoredWord(const Accessed& buffer, size_t offset);

}  // namespace coopvk::check
