// SPDX-License-Identifier: Apache-2.0
//
// What programs on matrices and on vectors share: random choices, buffers, numbers.
#pragma once

#include <array>
#include <span>

#include "numbers.hpp"
#include "program.hpp"
#include "text.hpp"

namespace coopvk::programs {

class Writer {
 public:
    Writer(uint64_t seed, uint32_t lanes, Features features, Size size);

    uint32_t pick(size_t count) { return static_cast<uint32_t>(random.below(count)); }
    bool chance(uint32_t oneIn) { return pick(oneIn) == 0; }
    template <typename T>
    const T& any(std::span<const T> of) {
        return of[pick(of.size())];
    }
    template <typename T, size_t n>
    const T& any(const T (&of)[n]) {
        return of[pick(n)];
    }

    // An id of u32: a constant, or a push constant that has the value.
    std::string number(uint32_t value);
    std::string add(const std::string& left, const std::string& right);
    // Pointer to an element of the buffer from which the program reads, or to which it writes.
    std::string input(Component component, const std::string& index) {
        return place(component, false, index);
    }
    std::string output(Component component, const std::string& index) {
        return place(component, true, index);
    }
    // The same as an untyped pointer.
    std::string untyped(Component component, bool isOutput, const std::string& index);
    // Pointer to a word of a buffer of words, in which numbers of the component type are.
    std::string inputWord(Component component, const std::string& index);
    // Pointer to an element of memory whose address is in a buffer.
    std::string inputAddress(Component component, const std::string& index);
    // From here on: keys of buffers of addresses, and of other ones.
    static constexpr size_t kAddressKeys = 3 * kComponents, kOtherKeys = 4 * kComponents;
    // Pointers to all of their elements.
    std::string inputArray(Component component) { return place(component, false, {}); }
    std::string outputArray(Component component) { return place(component, true, {}); }
    // The first of `count` elements of the output that nothing else writes; none if it is full.
    bool reserve(Component component, uint32_t count, uint32_t& first);
    uint32_t capacity(Component component) const { return bufferSize / info(component).bytes; }
    std::string builtIn(const std::string& name);  // of u32
    std::string boolean() { return text.global("OpTypeBool"); }
    std::string boolean(bool value) {
        return text.global((value ? "OpConstantTrue " : "OpConstantFalse ") + boolean());
    }
    // A buffer with elements of the type, of so many bytes each. The key says which one.
    std::string buffer(const std::string& element, uint32_t bytes, size_t key);
    // How many statements a program has, and how many values it stores at its end.
    uint32_t statementCount(uint32_t more) { return isSmall ? 1 + pick(4) : 3 + pick(more); }
    uint32_t mostStored() const { return isSmall ? 3 : 6; }
    // What the module declares beyond statements.
    Program finish(uint32_t invocations);

    Text text;
    check::Random random;
    uint32_t lanes;
    bool isSmall;
    uint32_t bufferSize;  // bytes
    bool usesUntyped = false, hasAllFeatures = true, canBeValidated = true;

 private:
    // With 64-bit indexing, some indices have 64 bits.
    std::string widened(const std::string& index);
    std::string bufferOf(Component component, bool isOutput);
    std::string place(Component component, bool isOutput, const std::string& index);

    bool isWide_ = false;
    std::map<size_t, std::string> buffers_;  // by key
    std::array<uint32_t, kComponents> used_ = {};
    std::string push_;
    std::map<std::string, std::string> builtIns_;
};

}  // namespace coopvk::programs
