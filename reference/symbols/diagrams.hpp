// SPDX-License-Identifier: Apache-2.0
//
// Binary decision diagrams: functions of bits, of which equal ones are one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace coopvk::reference::symbols {

using Bit = uint32_t;  // a function
using Bits = std::vector<Bit>;
inline constexpr Bit kFalse = 0, kTrue = 1;

class Diagrams {
 public:
    Diagrams();
    // Variables with low numbers are asked first.
    Bit variable(uint32_t number) { return node(number, kFalse, kTrue); }
    Bit choose(Bit condition, Bit then, Bit other);
    Bit negate(Bit a) { return choose(a, kFalse, kTrue); }
    Bit both(Bit a, Bit b) { return choose(a, b, kFalse); }
    Bit either(Bit a, Bit b) { return choose(a, kTrue, b); }
    Bit differ(Bit a, Bit b) { return choose(a, negate(b), b); }
    // Of values of the variables: a bit for each.
    bool valueOf(Bit of, uint64_t variables) const {
        while (of > kTrue)
            of = (variables >> nodes_[of].variable & 1) != 0 ? nodes_[of].high : nodes_[of].low;
        return of == kTrue;
    }
    bool isTooLarge() const { return nodes_.size() > kMostNodes; }

    // Numbers: the lowest bit first.
    static Bits constant(uint64_t value, size_t width);
    Bits choose(Bit condition, const Bits& then, const Bits& other);
    Bits negate(const Bits& a);
    Bits add(const Bits& a, const Bits& b, Bit carry = kFalse);
    Bits subtract(const Bits& a, const Bits& b) { return add(a, negate(b), kTrue); }
    Bits multiply(const Bits& a, const Bits& b);
    Bit any(const Bits& a);
    Bit equal(const Bits& a, const Bits& b);
    Bit less(const Bits& a, const Bits& b);  // without signs
    Bit lessSigned(Bits a, Bits b);
    // By a number; bits beyond are `fill`.
    Bits shiftLeft(const Bits& a, const Bits& by);
    Bits shiftRight(const Bits& a, const Bits& by, Bit fill);

 private:
    static constexpr size_t kMostNodes = size_t{1} << 19;
    struct Node {
        uint32_t variable;
        Bit low, high;
    };
    struct Key {
        uint32_t a, b, c;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        size_t operator()(const Key& key) const {
            uint64_t hash = key.a * 0x9E3779B97F4A7C15ull ^ key.b;
            hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9ull ^ key.c;
            return size_t((hash ^ hash >> 32) * 0x94D049BB133111EBull >> 8);
        }
    };
    Bit node(uint32_t variable, Bit low, Bit high);

    std::vector<Node> nodes_;
    std::unordered_map<Key, Bit, Hash> unique_, chosen_;
};

}  // namespace coopvk::reference::symbols
