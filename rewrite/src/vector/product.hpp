// SPDX-License-Identifier: Apache-2.0
//
// One matrix-vector product as a helper function computes it: what the instruction says, and the
// parts that both ways of computing it share.
#pragma once

#include "coopvk/vector_matrix.hpp"
#include "vector/arithmetic.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

struct VectorMatrixMul {
    const VectorType* result = nullptr;
    const VectorType* input = nullptr;
    Interpretation inputType;
    Interpretation matrixType;
    Interpretation biasType;
    bool hasBias = false;
    bool inputSigned = false;
    uint32_t m = 0;  // components of the result
    uint32_t k = 0;  // logical components of the input
    VectorMatrixLayout layout = VectorMatrixLayout::kRowMajor;
    bool transpose = false;
    std::optional<uint32_t> stride;  // nullopt: a parameter
    Location matrix;
    Location bias;
    bool isPlaced = false;  // matrix and bias are at constant places

    // Lines are what lies together in memory: rows of the product's matrix, or its columns.
    bool linesAreRows() const { return (layout == VectorMatrixLayout::kColumnMajor) == transpose; }
    uint32_t lineLength() const { return linesAreRows() ? k : m; }
    // Bytes of a line that may be read: with the padding of the optimal layouts.
    uint32_t lineBytes() const;
    // Distance of lines; nullopt where only the stride parameter says.
    std::optional<uint32_t> lineStride() const;
};

// Whether lanes have no registers that are chosen by a number. Wide subgroups leave few for each
// lane, and their compilers make such a choice of branches, or keep the array in memory.
bool choosesNoRegister(const Target& target);

// The parameters of the helper function.
struct ProductParameters {
    Id input = 0;
    Id stride = 0;      // u32 value, constant where it is known
    size_t matrix = 0;  // first parameter of the location
    size_t bias = 0;
};

// Function-local array of the result's packs, written by rows.
class ProductResult {
 public:
    // Has room for `rows` rows, the vector's or more.
    ProductResult(VectorFunction& function, const VectorMatrixMul& product, Sum sum,
                  const ProductParameters& parameters, uint32_t rows);

    // Stores rows first .. first + totals.size() - 1; `first` (u32) starts a pack. Totals are in
    // the type of the sum; those of rows beyond the vector have no meaning. Where `first` is not
    // constant, a loop stores rows 0 .. looped - 1 in order.
    void store(Id first, std::span<const Id> totals, uint32_t looped);
    // Stores one pack of finished components.
    void storePack(Id index, Id pack);
    // Whether packs from `first` (u32) on are pushed instead: a loop does so in their order, until
    // there are `looped` of them.
    bool isPushed(Id first) const;
    void pushPacks(std::span<const Id> packs, uint32_t looped);
    Id value();

    // The same result for totals of another sum.
    ProductResult summedAs(Sum sum) const {
        ProductResult result(*this);
        result.sum_ = sum;
        return result;
    }

    // The bias of a row (u32) in the type of the sum; 0 where there is none.
    Id biasOf(Id row);
    // A total with its bias as a component of the result.
    Id finish(Id total, Id bias);

 private:
    Id packAt(uint32_t index);

    VectorFunction& f_;
    Emitter& emit_;
    TypeTable& types_;
    const VectorMatrixMul& product_;
    Sum sum_;
    Id packs_ = 0;
    std::optional<VectorMemory> bias_;
};

// The input's components as operands of the arithmetic.
class ProductInput {
 public:
    ProductInput(VectorFunction& function, Arithmetic& arithmetic, const VectorMatrixMul& product,
                 Id value);

    // Units along K: as values (if `asValues`) or in a local array for dynamic indices.
    void makeUnits(bool asValues);
    Id unit(uint32_t index);
    Id unitAt(Id index);  // u32 value; a constant if the units are values
    bool hasValues() const { return array_ == 0; }
    // One operand for each component, in a local array: splat where units are pairs.
    void makeScalars();
    Id scalarAt(Id index);
    uint32_t units() const;

 private:
    std::vector<Id> components(std::span<const Id> packs, uint32_t valid);
    std::vector<Id> unitsOf(std::span<const Id> packs, uint32_t valid);
    template <typename Visit>
    void forEachGroup(Visit visit);

    VectorFunction& f_;
    Emitter& emit_;
    TypeTable& types_;
    Arithmetic& arithmetic_;
    const VectorMatrixMul& product_;
    Id value_;
    std::vector<Id> values_;
    Id array_ = 0;
};

// What both ways of computing a product work on.
struct ProductWork {
    VectorFunction& function;
    const VectorMatrixMul& product;
    const ProductParameters& parameters;
    Arithmetic& arithmetic;
    ProductInput& input;
    VectorMemory& matrix;
    ProductResult& result;
};

// Each invocation for itself: loops over rows, or over columns for lines that are columns.
void multiplyAlone(const ProductWork& work);
// Prepares the input for it.
void prepareAlone(const VectorMatrixMul& product, ProductInput& input);

// How a product is summed on a device: as a tile, and alone. Alone, memory is what takes the time,
// so that f16 sums need not be as long, and as far off, as those of a tile.
Sum sumFor(const VectorContext& context, const VectorMatrixMul& product);
Sum sumAloneFor(Sum sum, const VectorMatrixMul& product);
// Rows that multiplyAlone writes to.
uint32_t rowsAlone(const VectorMatrixMul& product);

}  // namespace coopvk::rewrite
