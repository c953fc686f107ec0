// SPDX-License-Identifier: Apache-2.0
//
// Random programs on long vectors, in some of them beside cooperative vectors. Invocations have
// different values, and may part.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "writer.hpp"

namespace coopvk::programs {

struct LongType {
    Component component = Component::kF32;
    uint32_t count = 1;
    bool operator==(const LongType&) const = default;
};

// A value; `count` 0: a scalar. No component is larger than `bound`. Infinite: integers wrap,
// floats may be rounded, infinite or NaN.
struct LongValue {
    std::string id;
    LongType type;
    double bound = 0;
};

class LongWriter : public Writer {
 public:
    LongWriter(uint64_t seed, uint32_t lanes, Features features, Size size);

    std::string type(const LongType& of);
    std::string type(Component component, uint32_t count) { return type({component, count}); }
    LongType anyType() { return {any(components), anyCount()}; }
    // Of numbers, rarely of booleans.
    LongType anyTypeOrBool() {
        LongType of = anyType();
        if (chance(8)) of.component = Component::kBool;
        return of;
    }
    uint32_t anyCount() { return counts[pick(3)]; }
    bool isCooperative(const LongType& of) const;
    // A value of the type: one that exists, or a new one, whose components are at most 4.
    LongValue take(const LongType& of);
    LongValue load(const LongType& of);
    LongValue takeScalar(Component component) { return take({component, 0}); }
    // Writes an instruction; its result is a value.
    std::string op(std::string_view opcode, const std::string& resultType,
                   std::initializer_list<std::string> operands);
    bool add(std::string id, LongType of, double bound);
    using Writer::add;
    // The value with another id.
    bool add(std::string id, const LongValue& like) {
        return add(std::move(id), like.type, like.bound);
    }
    // All components have the value.
    std::string splat(const LongType& of, int value);

    std::string invocation() { return builtIn("LocalInvocationIndex"); }
    std::string remainder(const std::string& of, uint32_t divisor);
    // A number below the end, which differs between invocations or not.
    std::string index(uint32_t end);
    std::string condition();
    std::string local(const std::string& of) {
        return text.local(text.global("OpTypePointer Function " + of));
    }
    std::string part(const std::string& variable, const char* storage, const std::string& of,
                     const std::string& indices);
    // A pointer to a structure of the input, struct { uint; V; V[2]; } with a layout, and its type.
    std::pair<std::string, std::string> inputStructure(const LongType& of);
    void store(const LongValue& value);
    // Up to so many statements.
    void statements(uint32_t most);
    Program program();

    // Integers are exact in any case. Reductions take only numbers that are.
    static bool isExact(const LongValue& value) {
        return !info(value.type.component).isFloat ||
               value.bound <= info(value.type.component).limit;
    }
    // Drivers may round otherwise than the reference device.
    bool mayRound() const { return hasAllFeatures; }

    uint32_t counts[3] = {};
    Component components[3] = {};
    uint32_t subgroups = 1;
    uint32_t depth = 0;  // of loops and branches
    bool isInFunction = false;
    std::vector<LongValue> live;

 private:
    std::string inputPlace(const LongType& of);
    void storeAll(const LongValue& value);
    // The buffer of vectors of a type, and how many it has.
    struct Vectors {
        std::string variable, structure;
        uint32_t capacity = 0, used = 0;
        uint32_t member = 0;  // of the structure; there is one if it has a name
    };
    Vectors& vectors(const LongType& of, bool isOutput, bool isInStructure);

    bool isBeside_ = false;  // there are cooperative vectors
    bool usesLiteralCounts_ = false;
    std::map<std::string, Vectors> vectors_;
};

// Each adds a value, or returns false if it does not suit.
using LongStatement = bool (*)(LongWriter&);
std::span<const LongStatement> longArithmetic();
std::span<const LongStatement> longFunctions();
std::span<const LongStatement> longChoices();
std::span<const LongStatement> longConversions();
std::span<const LongStatement> longParts();
std::span<const LongStatement> longMemory();
std::span<const LongStatement> longControl();
std::span<const LongStatement> longGroups();
std::span<const LongStatement> longStructures();

}  // namespace coopvk::programs
