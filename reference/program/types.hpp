// SPDX-License-Identifier: Apache-2.0
//
// Types of a program, and values. A value of any type is a list of scalars in each lane
// ("components"): a struct's members, an array's elements and a matrix's columns follow each other.
#pragma once

#include <spirv/unified1/spirv.hpp11>
#include <vector>

#include "coopvk_reference/intervals.hpp"
#include "coopvk_reference/lanes.hpp"
#include "numbers/exact.hpp"

namespace coopvk::reference {

using numbers::lowBits;

enum class Kind : uint8_t {
    kVoid,
    kBool,
    kInt,
    kFloat,
    kVector,  // of any length, also those of long vectors and cooperative vectors
    kMatrix,  // count columns
    kArray,
    kRuntimeArray,  // no components
    kStruct,
    kPointer,            // components: see Pointer in memory/pointer.hpp
    kCooperativeMatrix,  // components: those of one lane
    kTensorLayout,       // components: see matrices/
    kTensorView,
    kImage,  // one component, as kSampler: see images/image_access.hpp
    kSampler,
    kSampledImage,  // two
    kOpaque,        // functions, acceleration structures: no components
};

struct Type;

// How a type lies in memory where it was reached by variables and members with these decorations.
struct Pointee {
    const Type* type = nullptr;
    uint32_t matrixStride = 0;  // bytes, 0: none; of a row-major column: between components
    bool rowMajor = false;
    bool isNonWritable = false, isNonReadable = false;
};

struct Member : Pointee {
    uint64_t offset = 0;     // bytes, by decoration
    uint32_t component = 0;  // number of its first component
};

struct Type {
    Kind kind = Kind::kVoid;
    uint32_t id = 0;
    uint32_t width = 0;                             // bits of a scalar
    bool isSigned = false;                          // of an integer
    numbers::Number number = numbers::Number::f32;  // format of a float
    uint32_t count = 0;             // elements of a vector or array, columns of a matrix
    const Type* element = nullptr;  // component, column, element, pointee, or return type
    uint32_t components = 0;        // in each lane
    bool isLong = false;            // a vector of SPV_EXT_long_vector
    std::vector<Member> members;

    uint64_t stride = 0;  // ArrayStride of an array or pointer, bytes; 0: not decorated
    spv::StorageClass storage = spv::StorageClass::Function;  // of a pointer
    bool untyped = false;                                     // a pointer without pointee
    bool block = false;  // a struct decorated Block or BufferBlock

    // Cooperative matrices. Use: 0 A, 1 B, 2 accumulator; NV's older types: -1.
    spv::Scope scope = spv::Scope::Subgroup;
    uint32_t rows = 0, columns = 0;
    int32_t use = -1;

    // Images
    spv::Dim dim = spv::Dim::Dim2D;
    bool arrayed = false;
    bool isSampled = false;  // else it is read and written

    // Tensor layouts and views (SPV_NV_tensor_addressing).
    uint32_t dimensions = 0;
    uint32_t clampMode = 0;
    bool hasDimensions = false;
    std::vector<uint32_t> permutation;

    bool isScalar() const {
        return kind == Kind::kBool || kind == Kind::kInt || kind == Kind::kFloat;
    }
    bool isImage() const {
        return kind == Kind::kImage || kind == Kind::kSampler || kind == Kind::kSampledImage;
    }
    bool isComposite() const {
        return kind == Kind::kVector || kind == Kind::kMatrix || kind == Kind::kArray ||
               kind == Kind::kStruct || kind == Kind::kCooperativeMatrix;
    }
};

inline constexpr uint32_t kTensorLayoutComponents = 28, kTensorViewComponents = 21;

// An integer of 4 bits.
inline bool isHalfByte(const Type& type) { return type.kind == Kind::kInt && type.width < 8; }

// The scalar type of component `index`; pointers count as scalars of their components.
const Type& scalarOf(const Type& type, uint32_t index = 0);

// Of an element.
Pointee pointeeOf(const Pointee& composite, uint32_t index);
// Bytes between elements of an array, columns of a matrix, components of a vector.
uint64_t strideOf(const Pointee& composite);
// Bytes of a value in memory; without decorations types have their natural sizes, bool has 4.
uint64_t sizeOf(const Pointee& pointee);

// Where a component of a value lies, from the value's start. A pointer with an address is one of 64
// bits.
struct Leaf {
    uint64_t bit = 0;
    uint32_t bits = 0;
    bool isBool = false;
};
std::vector<Leaf> leavesOf(const Pointee& pointee);

// A component in one lane, or an element of a matrix.
struct Element {
    uint64_t bits = 0;
    bool defined = true;
    Deviation deviation = 0;
};
inline constexpr Element kUndefined{0, false};

// The value of an id in a subgroup: a structure of arrays. Component c of lane l is
// data[c * lanes + l], 64 bits whatever the type: the bits of the scalar, with zeros above its
// width. A bool is 0 or 1.
struct Value {
    uint64_t* data = nullptr;
    LaneMask* defined = nullptr;  // for each component: the lanes in which its bits mean something
    const Type* type = nullptr;
    uint32_t lanes = 0;
    Deviation* deviations = nullptr;  // as data; null: all are 0

    Deviation deviationAt(uint32_t index, uint32_t lane) const {
        return deviations != nullptr ? deviations[uint64_t{index} * lanes + lane] : 0;
    }
    void setDeviation(uint32_t index, uint32_t lane, Deviation deviation) const {
        if (deviations != nullptr) deviations[uint64_t{index} * lanes + lane] = deviation;
    }
    uint64_t* component(uint32_t index) const { return data + uint64_t{index} * lanes; }
    uint64_t& at(uint32_t index, uint32_t lane) const { return component(index)[lane]; }
    bool isDefined(uint32_t index, uint32_t lane) const { return defined[index].test(lane); }
    Element get(uint32_t index, uint32_t lane) const {
        return {at(index, lane), isDefined(index, lane), deviationAt(index, lane)};
    }
    void set(uint32_t index, uint32_t lane, Element element) const {
        at(index, lane) = element.bits;
        defined[index].assign(lane, element.defined);
        setDeviation(index, lane, element.deviation);
    }
    uint32_t components() const { return type->components; }
    // Says in which of these lanes a component is defined.
    void define(uint32_t index, LaneMask where, LaneMask lanesOf) const {
        defined[index] = (defined[index] & ~lanesOf) | (where & lanesOf);
    }
    // A part of the value, from component `first` on.
    Value part(const Type& partType, uint32_t first) const {
        Deviation* const from =
            deviations != nullptr ? deviations + uint64_t{first} * lanes : nullptr;
        return {component(first), defined + first, &partType, lanes, from};
    }
};

// The lanes in a ballot: a vector of four words.
inline LaneMask ballotAt(const Value& ballot, uint32_t lane) {
    LaneMask lanes;
    for (uint32_t c = 4; c-- > 0;) lanes.bits = lanes.bits << 32 | ballot.at(c, lane);
    return lanes;
}

// The value of the low `width` bits as a signed integer.
constexpr int64_t signExtend(uint64_t bits, uint32_t width) {
    const uint32_t unused = 64 - width;
    return int64_t(bits << unused) >> unused;
}

// SplitMix64: spreads the bits of a number.
constexpr uint64_t spread(uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
}

}  // namespace coopvk::reference
