// SPDX-License-Identifier: Apache-2.0
//
// One matrix-vector product as a helper function computes it: what the instruction says, how it is
// summed, and the parts that both ways of computing it share.
#pragma once

#include "coopvk/vector_matrix.hpp"
#include "lowering/number.hpp"
#include "vector/arrays.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

// The interpretation of a matrix, bias or input.
struct Interpretation : Number {
    bool isPacked = false;  // of an input: four 8-bit integers in a 32-bit component
};

// nullopt for a value that no supported combination has.
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
    uint32_t k = 0;  // logical components of the input
    VectorMatrixLayout layout = VectorMatrixLayout::kRowMajor;
    bool transpose = false;
    std::optional<uint32_t> stride;  // nullopt: a parameter
    Location matrix;
    Location bias;
    bool isPlaced = false;  // matrix and bias are at constant places

    // Lines are consecutive in memory: rows of the product's matrix, or its columns.
    bool linesAreRows() const { return (layout == VectorMatrixLayout::kColumnMajor) == transpose; }
    uint32_t lineLength() const { return linesAreRows() ? k : m; }
    // Bytes of a line that may be read: with the padding of the optimal layouts.
    uint32_t lineBytes() const;
    // Distance of lines; nullopt where only the stride parameter says.
    std::optional<uint32_t> lineStride() const;
};

// Which numbers are multiplied and summed. A unit is an operand: a scalar, or neighbours along the
// summed axis.
enum class Sum {
    kHalfPairs,   // f16 pairs, summed as such; f16 results on devices with packed arithmetic
    kHalfPieces,  // f16 pairs, of which kPieceUnits are summed as such, and these sums in f32
    kFloat,       // f32 scalars
    kInteger,     // s32 scalars (the usual wrapping makes them right for u32 as well)
    kDot,         // four 8-bit integers in a word, summed by dot-product instructions
};

// How a product is summed on a device: as a tile, and alone. Alone, memory is what takes the time,
// so that f16 sums need not be as long, and as far off, as those of a tile.
Sum sumFor(const VectorContext& context, const VectorMatrixMul& product);
Sum sumAloneFor(Sum sum, const VectorMatrixMul& product);
uint32_t unitComponents(Sum sum);

class Arithmetic : private VectorCode {
 public:
    Arithmetic(VectorFunction& function, Sum sum, Interpretation input, Interpretation matrix);

    Sum sum() const { return sum_; }
    Id unitType() const { return unit_; }
    Id sumType() const { return sumType_; }
    uint32_t unitComponents() const { return rewrite::unitComponents(sum_); }
    // Units that a word of matrix elements gives.
    uint32_t unitsPerWord() const { return 4 / matrix_.bytes() / unitComponents(); }

    // Matrix elements of one word as units.
    std::vector<Id> units(Id word);
    Id zero() { return types_.constantNull(sumType_); }
    // accumulator + weight * input.
    Id multiplyAdd(Id weight, Id input, Id accumulator);
    // accumulator + all of weights[i] * inputs[i]; inputs that are 0 count as nothing.
    Id addProducts(std::span<const Id> weights, std::span<const Id> inputs, Id accumulator);
    // The sum as one scalar: f16, f32 or s32/u32.
    Id total(Id accumulator);

    // An input component (scalar, any type) as f32 or s32 scalar or f16: what interpretation makes
    // of it. `isSigned`: how integers are read.
    Id convertInput(Id value, bool isSigned);

 private:
    bool takesHalves() const { return rewrite::unitComponents(sum_) == 2; }
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
    Id stride = 0;      // u32 value, constant where it is known
    size_t matrix = 0;  // first parameter of the location
    size_t bias = 0;
};

// The input's components as operands of the arithmetic.
class ProductInput : private VectorCode {
 public:
    ProductInput(VectorFunction& function, Arithmetic& arithmetic, const VectorMatrixMul& product,
                 Id value);

    // Units along K: as values (if `asValues`) or in a local array for dynamic indices.
    void makeUnits(bool asValues);
    // One operand for each component, in a local array: splat where units are pairs.
    void makeScalars();
    bool hasValues() const { return !array_ && !numbers_; }
    uint32_t units() const { return divideUp(product_.k, arithmetic_.unitComponents()); }
    Id unit(uint32_t index);
    Id unitAt(Id index);  // u32; a constant if the units are values

 private:
    std::vector<Id> components(std::span<const Id> packs, uint32_t valid);
    std::vector<Id> unitsOf(std::span<const Id> packs, uint32_t valid);
    template <typename Visit>
    void forEachGroup(Visit visit);
    void makeArray(uint32_t count);

    Arithmetic& arithmetic_;
    const VectorMatrixMul& product_;
    Id value_;
    std::vector<Id> values_;
    std::optional<LocalArray> array_;
    std::optional<Numbers> numbers_;
};

// The result's packs in a local array, written by rows.
class ProductResult : private VectorCode {
 public:
    // Has room for `rows` rows, the vector's or more.
    ProductResult(VectorFunction& function, const VectorMatrixMul& product, Sum sum,
                  const ProductParameters& parameters, uint32_t rows);

    // Stores rows first .. first + totals.size() - 1; `first` (u32) starts a pack. Totals are in
    // the type of the sum; those of rows beyond the vector have no meaning. Where `first` is not
    // constant, a loop stores rows 0 .. looped - 1 in order.
    void store(Id first, std::span<const Id> totals, uint32_t looped);
    // Stores packs of finished components from index `first` (u32) on. Where lanes have no
    // registers that are chosen by a number, a loop adds them at the end instead, which moves the
    // others on, so that all are in their places when there are `looped` of them.
    void storePacks(Id first, std::span<const Id> packs, uint32_t looped);
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
    const VectorMatrixMul& product_;
    Sum sum_;
    LocalArray packs_;
    std::optional<VectorMemory> bias_;
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
void prepareAlone(const DeviceTraits& device, const VectorMatrixMul& product, ProductInput& input);
// Rows that multiplyAlone writes to.
uint32_t rowsAlone(const VectorMatrixMul& product);

// A product of a whole subgroup at once. The lanes form a grid; each computes some rows of the
// products for some lanes' vectors, so that a weight that was loaded once serves several vectors.
// Lanes exchange vectors and results through shared memory.
struct Tile {
    uint32_t lanes = 0;        // of the subgroup; 0: products are not computed this way
    uint32_t gridRows = 0;     // lanes along the rows of the product
    uint32_t gridColumns = 0;  // lanes along the vectors
    uint32_t rowsPerLane = 0;  // their results for one vector fill 16 bytes at most
    uint32_t columnsPerLane = 0;
    uint32_t tiles = 0;  // that the rows of the product take
    uint32_t quads = 0;  // of the input (16 bytes each) that are exchanged at once
    Id exchange = 0;     // uvec4[subgroups * lanes * laneQuads()] in shared memory

    bool isUsed() const { return lanes != 0; }
    uint32_t rowsPerTile() const { return gridRows * rowsPerLane; }
    uint32_t rows() const { return tiles * rowsPerTile(); }
    // Shared memory of a lane, in quads; one more than is used, to spread lanes over banks.
    uint32_t laneQuads() const { return quads + 1; }
};

// Unused where the stage, the device or the shape has no use for it.
Tile planTile(VectorContext& context, const VectorMatrixMul& product, Sum sum);
// True (a boolean) where all lanes are here and multiply by the same matrix.
Id mayShare(const ProductWork& work, const Tile& tile);
// The number of the subgroup in its workgroup, where mayShare().
Id subgroupNumber(VectorContext& context, Emitter& emit, const Tile& tile);
void multiplyAsTile(const ProductWork& work, const Tile& tile);

// Whether the processor loads what a subgroup's lanes share once for all of them, into registers
// which the lanes' multiply-adds read: each invocation computes alone, and tiles would cost
// registers and exchanges for nothing. Drivers take that way where they see that the address is the
// same for all; here the shader asks, and tells them.
bool sharesWeightsItself(const DeviceTraits& device);
// Whether the stage may ask, and has anything to ask.
bool mayShareWeights(const VectorContext& context, const VectorMatrixMul& product);
// A function of the same parameters as `alone`, the product by one invocation: the first is the
// input, the others say where matrix and bias are. It calls `alone` with the first lane's place
// where all lanes have the same, and with the lane's place elsewhere.
Id shareWeights(VectorContext& context, std::string_view name, Id resultType,
                std::span<const Id> parameterTypes, Id alone);

// The smaller of a u32 value and a constant.
Id atMost(Emitter& emit, Id value, uint32_t limit);

}  // namespace coopvk::rewrite
