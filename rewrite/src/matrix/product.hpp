// SPDX-License-Identifier: Apache-2.0
//
// The body of the helper function of a multiply-add: function(a, b, c).
#pragma once

#include <functional>
#include <memory>

#include "ir/control_flow.hpp"
#include "ir/emitter.hpp"
#include "lowering/number.hpp"
#include "matrix/context.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

// Whether integer components are sign extended, rather than zero extended (Cooperative Matrix
// Operands).
struct Signs {
    bool a = false, b = false, c = false, result = false;
};

struct MulAdd {
    const MatrixType* a = nullptr;
    const MatrixType* b = nullptr;
    const MatrixType* c = nullptr;
    const MatrixType* result = nullptr;
    uint32_t operands = 0;  // Cooperative Matrix Operands: these say the following, too
    Signs signs;
    bool saturating = false;
    bool roundsOnce = false;  // as in MatrixProduct: sums are f32
};

// Scope Workgroup: for each slice of K, the invocations store A and B to shared memory, each
// component converted once to the type of the sums. Then each invocation multiplies its rows of A
// by its columns of B.
Id emitWorkgroupProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                        const Instruction& at);
// Scope Workgroup, with accumulators in tiles (tiles/tile_grid.hpp): the same, but each subgroup
// loads its rows of A and columns of B as tiles, and multiplies these.
enum class ProductPart {
    kWhole,
    kOpened,  // function(a, b, c): all but the multiplication of the last slice in shared memory
    kEnd,     // function(sums): that multiplication
};
Id emitTileProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                   const Instruction& at, ProductPart part);

// One row of a product in a lane: the arithmetic that suits the component types and the device.

// Multiplies rows of A in this lane by all columns of B in this lane, and adds C: for each row
// begin, then step(row, k) for each k below steps(), then end.
class RowProduct {
 public:
    RowProduct(MatrixContext& context, Emitter& emit, const MulAdd& product)
        : context_(context), types_(context.types), emit_(emit), p_(product) {}
    virtual ~RowProduct() = default;

    // Emits what all rows read of B, ahead of them.
    virtual void prepareB(Id b) = 0;  // sets right_
    // A row that has begun.
    struct Row {
        std::vector<Id> left;   // of A, by step
        std::vector<Id> start;  // of C, for end() if the sums do not begin with it
        std::vector<Id> sums;   // so far, by column; 0: of no products yet
    };
    // `a` and `c`: packs of the row of A and of C.
    virtual Row begin(std::span<const Id> a, std::span<const Id> c) = 0;
    virtual uint32_t steps() const { return depth(); }
    void step(Row& row, uint32_t k) {
        for (size_t j = 0; j < row.sums.size(); ++j) {
            addProduct(row.sums[j], row.left[k], right_[k][j]);
        }
    }
    // Packs of the result's row.
    virtual std::vector<Id> end(Row& row) = 0;
    std::vector<Id> whole(std::span<const Id> a, std::span<const Id> c) {
        Row row = begin(a, c);
        for (uint32_t k = 0; k < steps(); ++k) step(row, k);
        return end(row);
    }
    // Whether rows of C and of the result are open sums in place of packs.
    virtual bool sumsStayOpen() const { return false; }

 protected:
    // Converts a scalar or vector to `type`, which has as many components.
    using Convert = std::function<Id(Id value, Id type)>;

    static bool accumulatesOpen(const MulAdd& p, SumForm sums) {
        return p.result->sumForm == sums && p.c->id == p.result->id;
    }

    uint32_t depth() const { return p_.a->columns; }
    uint32_t columns() const { return p_.result->fragment.columns.count(); }

    // A pack whose components are converted to the scalar type `type`.
    Id converted(Id pack, Id type, const Convert& convert) {
        const uint32_t count = types_.components(emit_.typeOf(pack));
        return convert(pack, types_.vectorType(type, count));
    }

    // The components of packs, in order, as scalars of `type`.
    std::vector<Id> scalars(std::span<const Id> packs, Id type, const Convert& convert) {
        std::vector<Id> out;
        for (Id pack : packs) {
            std::ranges::copy(emit_.parts(converted(pack, type, convert)), std::back_inserter(out));
        }
        return out;
    }

    // Packs of the result's row from its scalars.
    std::vector<Id> pack(std::span<const Id> scalars) {
        const uint32_t width = p_.result->fragment.packWidth;
        return listOf(scalars.size() / width, [&](uint32_t p) {
            return emit_.join(p_.result->pack, scalars.subspan(p * width, width));
        });
    }

    // make(k, column) for each `rows` rows of B, and each `along` columns of them.
    template <typename Make>
    std::vector<std::vector<Id>> eachOfB(uint32_t rows, uint32_t along, Make make) {
        return listOf(depth() / rows, [&](uint32_t k) {
            return listOf(columns() / along, [&](uint32_t j) { return make(k * rows, j * along); });
        });
    }

    // The elements of B by k, then column, as scalars of `type`.
    std::vector<std::vector<Id>> scalarsOfB(Id b, Id type, const Convert& convert) {
        const std::vector<Id> packs = listFor(
            extractPacks(emit_, *p_.b, b), [&](Id pack) { return converted(pack, type, convert); });
        const Fragment& f = p_.b->fragment;
        return eachOfB(1, 1, [&](uint32_t k, uint32_t j) {
            const Id pack = packs[f.packOf(k, j)];
            return f.packWidth == 1 ? pack : emit_.extract(type, pack, {f.componentOf(k, j)});
        });
    }

    // Adds a product to a sum.
    virtual void addProduct(Id& sum, Id left, Id right) = 0;

    // The same for floats of `type`, scalars or vectors.
    void multiplyAdd(Id& sum, Id type, Id a, Id b) {
        sum = sum == 0 ? emit_.op(OpFMul, type, {a, b})
                       : fusedMultiplyAdd(
                             emit_, context_.target.device, a, b, sum,
                             types_.isHalf(p_.a->component) && types_.isHalf(p_.b->component));
    }

    MatrixContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    const MulAdd& p_;
    std::vector<std::vector<Id>> right_;  // of B, by step, then column
};

// Sums (f32, a scalar or a vector) in `type`, the format of the result: by integers where the
// program wants them rounded once, and the driver drops roundings.
Id roundSums(MatrixContext& context, Emitter& emit, const MulAdd& p, Id type, Id sums);

// For results of floats, and of integers.
std::unique_ptr<RowProduct> floatRow(MatrixContext& context, Emitter& emit, const MulAdd& p);
std::unique_ptr<RowProduct> integerRow(MatrixContext& context, Emitter& emit, const MulAdd& p);
inline std::unique_ptr<RowProduct> makeRow(MatrixContext& context, Emitter& emit, const MulAdd& p) {
    return (context.types.isFloat(p.result->component) ? floatRow : integerRow)(context, emit, p);
}

// Integer widening, narrowing and saturating addition. Values are scalars or vectors; arithmetic
// types are unsigned.

// The integer sign or zero extended to `type`, which has as many components and is at least as
// wide.
Id extendInteger(Emitter& emit, Id value, Id type, bool isSigned);

// The low bits of the integer, as `type`, which has as many components and is at most as wide.
Id narrowInteger(Emitter& emit, Id value, Id type);

// a + b, saturated to the limits of integers of `width` bits, in the low bits of a value of `type`,
// which is at least as wide. Of `a` only the low `width` bits count; `b` is extended to `type`.
Id saturatingAdd(Emitter& emit, Id type, uint32_t width, bool isSigned, Id a, Id b);

}  // namespace coopvk::rewrite
