// SPDX-License-Identifier: Apache-2.0
//
// Random programs on cooperative matrices.
#pragma once

#include <optional>

#include "writer.hpp"

namespace coopvk::programs {

// Uses as in SPIR-V.
inline constexpr uint32_t kUseA = 0, kUseB = 1, kAccumulator = 2;

struct MatrixType {
    Component component = Component::kF32;
    uint32_t rows = 16, columns = 16, use = kAccumulator;
    bool ofWorkgroup = false;  // what take() and add() say
    bool operator==(const MatrixType&) const = default;
};

// A value. No element is larger than `bound`, which may be infinite for integers.
struct Matrix {
    std::string id;
    MatrixType type;
    double bound = 0;
};

// Component types of a product.
struct ProductRow {
    Component a, b, c;
};

class MatrixWriter : public Writer {
 public:
    MatrixWriter(uint64_t seed, uint32_t lanes, Features features, Size size);

    std::string type(const MatrixType& type);
    // Instructions in the extension's dialect.
    std::string loadFrom(const MatrixType& type, const std::string& pointer, bool isColumnMajor,
                         uint32_t stride, const char* operands = "");
    void storeTo(const std::string& pointer, const std::string& id, bool isColumnMajor,
                 uint32_t stride, const char* operands = "");
    // `mask`: operands of OpCooperativeMatrixMulAddKHR.
    std::string multiplyAdd(const MatrixType& type, const std::string& factors,
                            const std::string& mask);
    // Index of the first of `count` elements that each subgroup (or the workgroup) has for itself.
    std::string indexOf(uint32_t first, uint32_t count);
    Matrix load(const MatrixType& type);
    bool store(const Matrix& matrix);  // in its own scope
    // A value of the type whose elements are at most `bound`: one that exists, or a new one, whose
    // elements are at most 4.
    Matrix take(MatrixType type, double bound);
    // Adds a value if its format holds all its elements.
    bool add(std::string id, MatrixType type, double bound);
    using Writer::add;
    uint32_t dimension() { return dimensions[pick(3)]; }
    Component anyComponent();
    MatrixType anyType(uint32_t use);
    std::string splat(const MatrixType& type, int value);
    // A variable of the function, and a pointer to the part of it that the indices say.
    std::string local(const std::string& type);
    std::string part(const std::string& variable, const std::string& type,
                     const std::string& indices);
    void barrier();
    // A variable of shared memory, one for each type.
    std::string shared(const std::string& pointerType);
    // A condition that is the same in all invocations, or all of a subgroup, and that compilers may
    // know.
    std::string condition();
    Program program();

    bool subgroupsPart = false;  // conditions differ between subgroups
    bool isNv = false;           // SPV_NV_cooperative_matrix: types without a use
    // The scope of what is written now. Some programs mix them, and then each statement has one.
    bool ofWorkgroup = false, mixesScopes = false;
    uint32_t subgroups = 1;
    uint32_t dimensions[3] = {};
    ProductRow product = {};
    std::vector<Matrix> live;
    Matrix result;       // of a loop
    uint32_t depth = 0;  // of loops, branches and functions

 private:
    bool storeNow(const Matrix& matrix);

    std::map<std::string, std::string> shared_;
};

// Bytes that elements take in memory.
inline uint32_t bytesOf(Component component, uint32_t elements) {
    return isNibble(component) ? elements / 2 : elements * info(component).bytes;
}

// Elements of a format that arithmetic may give: false if one may be inexact.
bool holds(Component component, double bound);

using MatrixStatement = bool (*)(MatrixWriter&);
std::span<const MatrixStatement> valueStatements();
std::span<const MatrixStatement> callStatements();
std::span<const MatrixStatement> memoryStatements();
std::span<const MatrixStatement> controlStatements();
std::span<const MatrixStatement> loopStatements();
std::span<const MatrixStatement> compositeStatements();
std::span<const MatrixStatement> arrayStatements();
std::span<const MatrixStatement> decodeStatements();
// A random statement; false if the values do not suit the chosen kind.
bool statement(MatrixWriter& w);

}  // namespace coopvk::programs
