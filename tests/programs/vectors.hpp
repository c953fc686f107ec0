// SPDX-License-Identifier: Apache-2.0
//
// Random programs on cooperative vectors. Invocations have different values, and may part.
#pragma once

#include <algorithm>
#include <cmath>

#include "writer.hpp"

namespace coopvk::programs {

struct VectorType {
    Component component = Component::kF32;
    uint32_t size = 16;
    bool operator==(const VectorType&) const = default;
};

// No component is larger than `bound`.
struct Vector {
    std::string id;
    VectorType type;
    double bound = 0;
};

// A product: components of the input as it is and as it is read, of matrix, bias and result.
struct VectorProduct {
    Component input, interpretation, matrix, bias, result;
};
inline constexpr double kVectorInput = 4;  // largest number in memory

class VectorWriter final : public Writer {
 public:
    VectorWriter(uint64_t seed, uint32_t lanes, Features features, Size size);

    Program program() {
        const uint32_t count = statementCount(8);
        for (uint32_t made = 0, tries = 0; made < count && tries < 60; ++tries)
            made += statement() ? 1 : 0;
        for (size_t i = live_.size(), stored = 0; i-- > 0 && stored < mostStored();)
            stored += store(live_[i]) ? 1 : 0;
        return finish(lanes * subgroups_);
    }

 private:
    using Statement = bool (VectorWriter::*)();

    std::string type(const VectorType& of) {
        return text.global(std::format("OpTypeCooperativeVectorNV {} {}", text.type(of.component),
                                       text.size(of.size)));
    }
    VectorType anyType() {
        const Component components[] = {product_.input, product_.result, product_.bias};
        return {any(components), sizes_[pick(3)]};
    }
    std::string invocation() { return builtIn("LocalInvocationIndex"); }
    std::string times(const std::string& left, uint32_t factor) {
        return text.value(
            std::format("OpIMul {} {} {}", text.type(Component::kU32), left, text.u32(factor)));
    }
    // Bytes at which this invocation's vector begins; 16-byte aligned.
    std::string offsetOf(uint32_t first, const VectorType& of) {
        return add(number(first), times(invocation(), bytesOf(of)));
    }
    static uint32_t bytesOf(const VectorType& of) {
        return (of.size * info(of.component).bytes + 15) / 16 * 16;
    }
    bool make(const std::string& instruction, const VectorType& of, double bound) {
        live_.push_back({text.value(instruction), of, bound});
        return true;
    }
    static bool holds(Component component, double bound) {
        return !info(component).isFloat || bound <= info(component).limit;
    }

    Vector take(const VectorType& of) {
        std::vector<Vector> suitable;
        for (const Vector& vector : live_)
            if (vector.type == of) suitable.push_back(vector);
        if (!suitable.empty() && !chance(4)) return suitable[pick(suitable.size())];
        const std::string offset = offsetOf(16 * pick(64), of);
        make(std::format("OpCooperativeVectorLoadNV {} {} {}", type(of), inputArray(of.component),
                         offset),
             of, kVectorInput);
        return live_.back();
    }

    bool store(const Vector& vector) {
        const uint32_t bytes = bytesOf(vector.type);
        uint32_t first = 0;
        if (!reserve(vector.type.component,
                     bytes / info(vector.type.component).bytes * lanes * subgroups_, first))
            return false;
        const std::string offset = offsetOf(first * info(vector.type.component).bytes, vector.type);
        text.line(std::format("OpCooperativeVectorStoreNV {} {} {}",
                              outputArray(vector.type.component), offset, vector.id));
        return true;
    }

    // Bytes of a matrix of which every invocation has the same, or one of three.
    std::string weightsAt() {
        const std::string same = number(64 * pick(16));
        if (!chance(4)) return same;
        const std::string which = text.value(
            std::format("OpUMod {} {} {}", text.type(Component::kU32), invocation(), text.u32(3)));
        return add(same, times(which, 64));
    }

    bool multiply();
    bool arithmetic();
    bool timesScalar();
    bool convert();
    bool moveComponent();
    bool insertConstant();
    // A condition that differs between invocations, or not.
    std::string condition() {
        const std::string left = chance(2) ? invocation() : number(pick(kNumbers));
        return text.value(
            std::format("OpULessThan {} {} {}", boolean(), left, number(1 + pick(kNumbers - 1))));
    }

    void statements(uint32_t most) {
        for (uint32_t count = pick(most + 1), tries = 0; count > 0 && tries < 8; ++tries)
            count -= statement() ? 1 : 0;
    }

    bool branch();
    bool loop();
    bool reduceSum();
    bool outerProduct();
    bool extreme();
    bool negate();
    bool call();
    bool composite();
    bool multiplyPacked();
    bool statement();
    uint32_t subgroups_ = 1, depth_ = 0;
    VectorProduct product_ = {};
    uint32_t sizes_[3] = {};
    std::vector<Vector> live_;
};

}  // namespace coopvk::programs
