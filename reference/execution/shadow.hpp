// SPDX-License-Identifier: Apache-2.0
//
// What travels beside each value and each byte of memory, in 32 bits: how far floats may be from
// their bits (intervals/), or what they are as functions of memory (symbols/). 0: they are their
// bits, and nothing else.
#pragma once

#include <memory>

#include "memory/pointer.hpp"

namespace coopvk::reference {

namespace matrices {
struct Matrix;
struct SumRule;
}  // namespace matrices

class Shadow {
 public:
    virtual ~Shadow() = default;

    // Executes the instruction at which the subgroup is, and says what its result may be.
    virtual Step execute(Subgroup& s) = 0;
    // A lane reads or gives a value that a list of its stage has no place for.
    virtual void endList(Subgroup&, uint32_t /*lane*/) {}

    // Of the number that this device has among those of its group.
    virtual Deviation ofDeviceIndex() { return 0; }

    // A lane accesses `bits` bits from bit `first` of the first byte on. `word`: those bytes' bits.
    virtual Deviation read(const Subgroup& s, uint32_t lane, const Deviation* from, uint64_t word,
                           uint32_t first, uint32_t bits) = 0;
    // `data` has the bits already.
    virtual void write(const Subgroup& s, uint32_t lane, Deviation* to, const std::byte* data,
                       uint32_t first, uint32_t bits, Deviation deviation) = 0;
    // What an atomic operation adds to memory or stores there.
    virtual void noteOperand(const Subgroup& s, const Type& scalar, const Value& value,
                             uint32_t lane, AtomicAccess& access) = 0;
    // Sets the deviation of memory, and returns that of the result.
    virtual Deviation afterAtomic(Deviation* memory, const std::byte* data, uint32_t size,
                                  const AtomicAccess& access, uint64_t before) = 0;

    // Of an element that becomes these bits in another format.
    virtual Deviation converted(const Element& from, numbers::Number number,
                                const numbers::Conversion& conversion, uint64_t bits) = 0;
    // The same of an input of a product of a vector.
    virtual Deviation converted(const Element& from, numbers::Number number,
                                numbers::Number interpretation,
                                const numbers::Conversion& conversion, uint64_t bits) = 0;
    // Of bits from `bit` on, of elements of so many bits behind each other.
    virtual Deviation regrouped(std::span<const Element> elements, uint32_t width, uint32_t bit,
                                uint32_t bits) = 0;
    // Sets those of the elements of a product, a * b + c.
    virtual void multiply(const matrices::Matrix& a, const matrices::Matrix& b,
                          const matrices::Matrix& c, const matrices::SumRule& rule,
                          matrices::Matrix& result) = 0;
    // Two elements that stand for all others: what a function makes of them is what it makes of
    // any; nothing: none do.
    virtual std::optional<std::array<Element, 2>> placeholders(numbers::Number) { return {}; }
    // Sets those of the elements of a reduction; `combined`: of the placeholders.
    virtual void reduce(const matrices::Matrix&, uint32_t /*mode*/, const Element& /*combined*/,
                        matrices::Matrix& /*result*/) {}
};

// What the settings ask for; null: nothing.
std::unique_ptr<Shadow> makeShadow(const Settings& settings);

}  // namespace coopvk::reference
