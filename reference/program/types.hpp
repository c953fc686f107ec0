// SPDX-License-Identifier: Apache-2.0
//
// Types of a program. A value of any type is a list of scalars in each lane ("components"): a
// struct's members, an array's elements and a matrix's columns follow each other.
#pragma once

#include <cstdint>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

namespace coopvk::reference {

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
    kOpaque,  // functions, images, samplers, acceleration structures: no components
};

enum class FloatFormat : uint8_t { kIeee, kBFloat16, kE4M3, kE5M2 };

struct Type;

struct Member {
    const Type* type = nullptr;
    uint64_t offset = 0;        // bytes, by decoration
    uint32_t component = 0;     // number of its first component
    uint32_t matrixStride = 0;  // bytes, 0: none
    bool rowMajor = false;
};

struct Type {
    Kind kind = Kind::kVoid;
    uint32_t id = 0;
    uint32_t width = 0;     // bits of a scalar
    bool isSigned = false;  // of an integer
    FloatFormat format = FloatFormat::kIeee;
    uint32_t count = 0;             // elements of a vector or array, columns of a matrix
    const Type* element = nullptr;  // component, column, element, pointee, or return type
    uint32_t components = 0;        // in each lane
    std::vector<Member> members;

    uint64_t stride = 0;  // ArrayStride of an array or pointer, bytes; 0: not decorated
    spv::StorageClass storage = spv::StorageClass::Function;  // of a pointer
    bool untyped = false;                                     // a pointer without pointee
    bool block = false;  // a struct decorated Block or BufferBlock

    // Cooperative matrices. Use: 0 A, 1 B, 2 accumulator; NV's older types: -1.
    spv::Scope scope = spv::Scope::Subgroup;
    uint32_t rows = 0, columns = 0;
    int32_t use = -1;

    // Tensor layouts and views (SPV_NV_tensor_addressing).
    uint32_t dimensions = 0;
    uint32_t clampMode = 0;
    bool hasDimensions = false;
    std::vector<uint32_t> permutation;

    bool isScalar() const {
        return kind == Kind::kBool || kind == Kind::kInt || kind == Kind::kFloat;
    }
    bool isComposite() const {
        return kind == Kind::kVector || kind == Kind::kMatrix || kind == Kind::kArray ||
               kind == Kind::kStruct || kind == Kind::kCooperativeMatrix;
    }
};

// The scalar type of component `index`; pointers count as scalars of their components.
const Type& scalarOf(const Type& type, uint32_t index = 0);

// The type of an element, and the number of its first component, of a composite.
struct Part {
    const Type* type = nullptr;
    uint32_t component = 0;
};
Part partOf(const Type& composite, uint32_t index);

// How a type lies in memory where it was reached by a member with these decorations.
struct Pointee {
    const Type* type = nullptr;
    uint32_t matrixStride = 0;  // of a matrix; of a row-major matrix's column: between components
    bool rowMajor = false;
};
Pointee pointeeOf(const Pointee& composite, uint32_t index);
// Bytes between elements of an array, columns of a matrix, components of a vector.
uint64_t strideOf(const Pointee& composite);
// Bytes of a value in memory; without decorations types have their natural sizes, bool has 4.
uint64_t sizeOf(const Pointee& pointee);

// A component of a value and where it lies from the start of the value, in bytes.
struct Leaf {
    uint64_t offset = 0;
    const Type* scalar = nullptr;  // a pointer with an address is one leaf of 8 bytes
    uint32_t bit = 0;              // in the byte, of an integer of 4 bits
};
std::vector<Leaf> leavesOf(const Pointee& pointee);

}  // namespace coopvk::reference
