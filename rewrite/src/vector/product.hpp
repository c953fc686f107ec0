// SPDX-License-Identifier: Apache-2.0
//
// A matrix-vector product in a helper function: the instruction's operands, the arithmetic, what
// all methods share, and the product by each invocation alone. shared_vectors.hpp has the others.
#pragma once

#include "coopvk/vector_matrix.hpp"
#include "lowering/number.hpp"
#include "vector/arrays.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

// InputInterpretation, MatrixInterpretation or BiasInterpretation.
struct Interpretation : Number {
    bool isPacked = false;  // input only: four 8-bit integers in a 32-bit component
};

// nullopt: not supported.
std::optional<Interpretation> interpretation(std::optional<uint64_t> value);

struct VectorMatrixMul {
    const VectorType* result = nullptr;
    const VectorType* input = nullptr;
    Interpretation inputType;
    Interpretation matrixType;
    Interpretation biasType;
    bool hasBias = false;
    bool inputSigned = false;
    uint32_t m = 0;  // components of the result
    uint32_t k = 0;  // components of the input, packed ones counted singly
    VectorMatrixLayout layout = VectorMatrixLayout::kRowMajor;
    bool inBlocks = false;  // as placeMatrix() says
    bool transpose = false;
    std::optional<uint32_t> stride;  // bytes; nullopt: not constant, or the layout needs none
    Location matrix;
    Location bias;
    bool hasConstantLocation = false;  // all arguments of the matrix and the bias are constants

    // Lines are what is contiguous in memory: the rows or the columns of the product's matrix.
    bool linesAreRows() const { return (layout == VectorMatrixLayout::kColumnMajor) == transpose; }
    uint32_t lineLength() const { return linesAreRows() ? k : m; }
    // Bytes of a line that may be read, with the padding of the optimal layouts.
    uint32_t lineBytes() const;
    // Bytes from one line to the next (in blocks: as if they followed each other); nullopt: the
    // helper function's stride parameter.
    std::optional<uint32_t> lineStride() const;
    // Bytes from 16 bytes of a line to the next ones.
    uint32_t quadBytes() const;
};

// The type in which a product is summed. A unit is what one multiply-add takes of the weights, or
// of the input: a component, or two or four neighbours along the summed axis.
enum class Sum {
    kHalfPairs,   // pairs of f16; for f16 results on devices with packed arithmetic
    kHalfPieces,  // pairs of f16, but sums of each kPieceUnits of them are added in f32
    kFloat,       // f32 scalars
    kInteger,     // s32 scalars; two's complement makes the sums right for u32, too
    kDot,         // four 8-bit integers in a word, by dot-product instructions
};

// In which order a product is summed: the units of a line one after the other along K, from zero
// on. A bias is added to the total, in f32 or s32; the result is rounded once.
//
// by                     sum            order
// a tile                 sumFor()       one chain of multiply-adds, with the padding of the line;
//                                       kHalfPairs: one for even and one for odd components,
//                                       whose totals are added last
// a lane beside a tile   sumFor()       the same bits, so that a result does not depend on whether
//                                       its subgroup is full
// a lane otherwise       sumAloneFor()  f16 in pieces, which are more exact: memory bounds the
//                                       speed there
// the driver's matrices  of the shape   the driver's own. Lanes beside them sum as lanes otherwise,
//                                       so f16 and f32 results may differ in their last bits
//
// Multiply-adds of floats are fused, but for f32 where the device does not fuse it
// (DevicePlan::fusesSingles).
Sum sumFor(const VectorContext& context, const VectorMatrixMul& product);
Sum sumAloneFor(const VectorContext& context, const VectorMatrixMul& product);
uint32_t unitComponents(Sum sum);

class Arithmetic : private VectorCode {
 public:
    Arithmetic(VectorFunction& function, Sum sum, Interpretation input, Interpretation matrix);

    Sum sum() const { return sum_; }
    Id unitType() const { return unit_; }
    Id sumType() const { return sumType_; }
    uint32_t unitComponents() const { return rewrite::unitComponents(sum_); }
    // Units in a word of matrix elements.
    uint32_t unitsPerWord() const { return 4 / matrix_.bytes() / unitComponents(); }

    // The units in words of matrix elements.
    std::vector<Id> units(std::span<const Id> words);
    Id zero() { return types_.constantNull(sumType_); }
    // accumulator + weight * input.
    Id multiplyAdd(Id weight, Id input, Id accumulator);
    // accumulator + the sum of weights[i] * inputs[i], for as many weights as there are inputs.
    Id addProducts(std::span<const Id> weights, std::span<const Id> inputs, Id accumulator);
    // The sum as one scalar: f32, s32/u32, or f16 of pairs if nothing will be added to it.
    Id total(Id accumulator, bool hasBias);

    // Converts a scalar input component as InputInterpretation says: to f16, f32 or s32.
    // `isSigned`: of integers.
    Id convertInput(Id value, bool isSigned);

 private:
    bool takesHalves() const { return unitComponents() == 2; }
    std::vector<Id> unitsOf(Id word);
    Id dot(Id weight, Id input);
    Id addPieces(std::span<const Id> weights, std::span<const Id> inputs, Id accumulator);

    Sum sum_;
    Interpretation input_;
    Interpretation matrix_;
    Id unit_ = 0;
    Id sumType_ = 0;
};

// The parameters of the helper function.
struct ProductParameters {
    Id input = 0;
    Id stride = 0;      // u32, perhaps a constant
    size_t matrix = 0;  // index of the location's first parameter
    size_t bias = 0;
};

// The byte at which a line (u32) starts, from the start of the matrix on (u32). `stride`: as
// lineStride(), u32.
Id startOfLine(Emitter& emit, bool inBlocks, Id stride, Id line);

// The input's components as units.
class ProductInput : private VectorCode {
 public:
    ProductInput(VectorFunction& function, Arithmetic& arithmetic, const VectorMatrixMul& product,
                 Id value);

    // Units along K: as values (if `asValues`), or in a local array for dynamic indices.
    void makeUnits(bool asValues);
    // One unit for each component, in a local array; components fill units that are pairs.
    void makeScalars();
    bool hasValues() const { return !array_ && !floats_; }
    uint32_t units() const { return divideUp(product_.k, arithmetic_.unitComponents()); }
    Id unitAt(Id index);  // u32; must be a constant if hasValues()

 private:
    std::vector<Id> components(std::span<const Id> packs, uint32_t valid);
    std::vector<Id> unitsOf(std::span<const Id> packs, uint32_t valid);
    template <typename Visit>
    void forEachGroup(Visit visit);
    Arithmetic& arithmetic_;
    const VectorMatrixMul& product_;
    Id value_;
    std::vector<Id> values_;
    std::optional<LocalArray> array_;
    std::optional<FloatComponents> floats_;
};

// `mayShift`: of a function that is called, or if another function, or another branch, computes the
// product by a subgroup together. A dynamic index would make that one slow, too
// (docs/developers/benchmarks.md).
RowStores rowStoresFor(const VectorContext& context, const VectorType& result, uint32_t rows,
                       bool mayShift);

// The result's packs, in a local array to which rows are stored.
class ProductResult : private VectorCode {
 public:
    // `rows`: at least the components of the result.
    ProductResult(VectorFunction& function, const VectorMatrixMul& product, Sum sum,
                  const ProductParameters& parameters, uint32_t rows, RowStores stores);

    // Stores rows from `first` (u32, the first of a pack) on. Totals have the type of the sum;
    // those of rows beyond the result are undefined. If `first` is not constant, the calls of a
    // loop must store rows 0 to looped - 1, in order.
    void store(Id first, std::span<const Id> totals, uint32_t looped);
    // Stores packs of components from index `first` (u32) on, `looped` of them in a loop as above.
    // Where invocations cannot index registers, each call in a loop shifts the array and stores
    // at its end: after the loop all packs are at their indices.
    void storePacks(Id first, std::span<const Id> packs, uint32_t looped);
    // Ends the function, which returns the result.
    Id finishFunction();

    // The bias of a row (u32) if there is one: f32 or s32.
    std::optional<Id> biasOf(Id row);
    // A component of the result: the sum of a total and its bias, rounded once.
    Id finish(Id total, std::optional<Id> bias);

 private:
    const VectorMatrixMul& product_;
    Sum sum_;
    RowStores stores_;
    LocalArray packs_;
    std::optional<VectorMemory> bias_;
};

struct ProductWork {
    VectorFunction& function;
    const VectorMatrixMul& product;
    const ProductParameters& parameters;
    Arithmetic& arithmetic;
    ProductInput& input;
    VectorMemory& matrix;
    ProductResult& result;
    // An invocation alone also adds the products with the padding of a line, which are zeros, as
    // tiles do: they change the sign of a sum that is -0.
    bool addsPadding = false;
};

// The minimum of a u32 value and a constant.
Id atMost(Emitter& emit, Id value, uint32_t limit);

}  // namespace coopvk::rewrite
