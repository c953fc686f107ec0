// SPDX-License-Identifier: Apache-2.0
#include "matrix/product.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <functional>

#include "matrix/integer_arithmetic.hpp"
#include "matrix/packs.hpp"

namespace coopvk::rewrite {

namespace {

// Products a lane may unroll; larger ones loop over the lane's rows, so that code stays bounded.
constexpr uint32_t kMaxUnrolledProducts = 4096;

// Accumulates, for one row of A in this lane, over all of K and all of the lane's columns: begin,
// then steps() times step, then end. The row's packs of A and of the accumulator come and go
// through plain arrays, so that the same code serves the unrolled and the looped form.
class RowProduct {
 public:
    RowProduct(LoweringContext& context, Emitter& emit, const Product& product)
        : context_(context), types_(context.types), emit_(emit), p_(product) {}
    virtual ~RowProduct() = default;

    // Takes B apart once, ahead of all rows.
    virtual void prepareB(Id b) = 0;
    // One row under way: A's values by step, C's by column, and the sums so far (0: none yet).
    struct Row {
        std::vector<Id> left;
        std::vector<Id> start;
        std::vector<Id> sums;
    };
    // Takes packs of A's row and of C's row.
    virtual Row begin(std::span<const Id> a, std::span<const Id> c) = 0;
    virtual uint32_t steps() const { return depth(); }
    virtual void step(Row& row, uint32_t k) = 0;
    // Packs of the result's row.
    virtual std::vector<Id> end(Row& row) = 0;

 protected:
    // A scalar or vector as `type`, of the same number of components.
    using Convert = std::function<Id(Id value, Id type)>;

    uint32_t depth() const { return p_.a->columns; }
    uint32_t columns() const { return p_.result->fragment.columns.count(); }

    // The components of packs, in order, as scalars of `type` by `convert` (scalar or vector).
    std::vector<Id> scalars(std::span<const Id> packs, Id type, const Convert& convert) {
        std::vector<Id> out;
        for (Id pack : packs) {
            const uint32_t count = types_.components(emit_.typeOf(pack));
            const Id converted = convert(pack, types_.vectorType(type, count));
            for (uint32_t i = 0; i < count; ++i) {
                out.push_back(count == 1 ? converted : emit_.extract(type, converted, {i}));
            }
        }
        return out;
    }

    // Packs of the result's row from its scalars.
    std::vector<Id> pack(std::span<const Id> scalars) {
        std::vector<Id> packs;
        const uint32_t width = p_.result->fragment.packWidth;
        for (size_t i = 0; i < scalars.size(); i += width) {
            packs.push_back(width == 1
                                ? scalars[i]
                                : emit_.construct(p_.result->pack, scalars.subspan(i, width)));
        }
        return packs;
    }

    // B's element at (k, column) as a scalar of `type`.
    std::vector<std::vector<Id>> scalarsOfB(Id b, Id type, const Convert& convert) {
        std::vector<Id> packs;
        for (Id pack : extractPacks(emit_, *p_.b, b)) {
            const uint32_t count = types_.components(emit_.typeOf(pack));
            packs.push_back(convert(pack, types_.vectorType(type, count)));
        }
        const Fragment& f = p_.b->fragment;
        std::vector<std::vector<Id>> out(depth(), std::vector<Id>(columns()));
        for (uint32_t k = 0; k < depth(); ++k) {
            for (uint32_t j = 0; j < columns(); ++j) {
                const Id pack = packs[f.packOf(k, j)];
                out[k][j] =
                    f.packWidth == 1 ? pack : emit_.extract(type, pack, {f.componentOf(k, j)});
            }
        }
        return out;
    }

    LoweringContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    const Product& p_;
};

Id fma(Emitter& emit, Id type, Id a, Id b, Id c) {
    return emit.glsl(GLSLstd450Fma, type, {a, b, c});
}

Id convertFloat(Emitter& emit, Id value, Id type) {
    return emit.typeOf(value) == type ? value : emit.op(spv::Op::OpFConvert, type, {value});
}

// Scalars of the accumulator's precision, or of f32 for f16 accumulators on devices whose f16
// arithmetic is no faster.
class FloatRow : public RowProduct {
 public:
    FloatRow(LoweringContext& context, Emitter& emit, const Product& product)
        : RowProduct(context, emit, product),
          arithmetic_(types_.width(product.result->component) == 16 ? types_.floatType(32)
                                                                    : product.result->component) {}

    void prepareB(Id b) override { b_ = scalarsOfB(b, arithmetic_, convert()); }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        return {scalars(a, arithmetic_, convert()), {}, scalars(c, arithmetic_, convert())};
    }

    void step(Row& row, uint32_t k) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            row.sums[j] = fma(emit_, arithmetic_, row.left[k], b_[k][j], row.sums[j]);
        }
    }

    std::vector<Id> end(Row& row) override {
        for (Id& sum : row.sums) sum = convertFloat(emit_, sum, p_.result->component);
        return pack(row.sums);
    }

 private:
    Convert convert() {
        return [this](Id value, Id type) { return convertFloat(emit_, value, type); };
    }

    Id arithmetic_;
    std::vector<std::vector<Id>> b_;
};

// f16 throughout, two neighbouring columns at once.
class PackedHalfRow : public RowProduct {
 public:
    using RowProduct::RowProduct;

    static bool fits(const LoweringContext& context, const Product& p) {
        for (const MatrixType* m : {p.a, p.b, p.result}) {
            if (context.types.width(m->component) != 16) return false;
        }
        return p.result->fragment.packWidth == 2 && p.b->fragment.packWidth == 2 &&
               p.b->fragment.packAxis == PackAxis::kColumns &&
               context.types.width(p.c->component) == 16 && !context.target.device.isCpu;
    }

    void prepareB(Id b) override { b_ = extractPacks(emit_, *p_.b, b); }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        return {scalars(a, p_.a->component, [](Id value, Id) { return value; }),
                {},
                {c.begin(), c.end()}};
    }

    void step(Row& row, uint32_t k) override {
        const Id pair = p_.result->pack;
        const Id both = emit_.splat(pair, row.left[k]);
        for (uint32_t j = 0; j < row.sums.size(); ++j) {
            row.sums[j] = fma(emit_, pair, both, b_[p_.b->fragment.packOf(k, 2 * j)], row.sums[j]);
        }
    }

    std::vector<Id> end(Row& row) override { return row.sums; }

 private:
    std::vector<Id> b_;
};

// f16 throughout, two neighbours along K at once: the even and the odd half of each sum meet at the
// end.
class HalfDotRow : public RowProduct {
 public:
    using RowProduct::RowProduct;

    static bool fits(const LoweringContext& context, const Product& p) {
        for (const MatrixType* m : {p.a, p.b, p.c, p.result}) {
            if (context.types.width(m->component) != 16) return false;
        }
        return p.a->fragment.packWidth == 2 && p.b->fragment.packWidth == 2 &&
               p.b->fragment.packAxis == PackAxis::kRows && !context.target.device.isCpu;
    }

    void prepareB(Id b) override { b_ = extractPacks(emit_, *p_.b, b); }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        return {{a.begin(), a.end()}, {c.begin(), c.end()}, std::vector<Id>(columns())};
    }

    uint32_t steps() const override { return depth() / 2; }

    void step(Row& row, uint32_t k) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            const Id right = b_[p_.b->fragment.packOf(2 * k, j)];
            Id& sum = row.sums[j];
            sum = sum == 0 ? emit_.op(spv::Op::OpFMul, p_.b->pack, {row.left[k], right})
                           : fma(emit_, p_.b->pack, row.left[k], right, sum);
        }
    }

    std::vector<Id> end(Row& row) override {
        const Id half = p_.result->component;
        std::vector<Id> packs[2];
        for (uint32_t part = 0; part < 2; ++part) {
            std::vector<Id> scalars;
            for (Id sum : row.sums) scalars.push_back(emit_.extract(half, sum, {part}));
            packs[part] = pack(scalars);
        }
        std::vector<Id> out;
        for (size_t i = 0; i < packs[0].size(); ++i) {
            const Id type = emit_.typeOf(packs[0][i]);
            const Id both = emit_.op(spv::Op::OpFAdd, type, {packs[0][i], packs[1][i]});
            out.push_back(emit_.op(spv::Op::OpFAdd, type, {both, row.start[i]}));
        }
        return out;
    }

 private:
    std::vector<Id> b_;
};

// Integers at the width of the result, at least 32 bits; the low bits are what the text asks for.
class IntegerRow : public RowProduct {
 public:
    IntegerRow(LoweringContext& context, Emitter& emit, const Product& product)
        : RowProduct(context, emit, product),
          arithmetic_(
              types_.intType(std::max(32u, types_.width(product.result->component)), false)) {}

    void prepareB(Id b) override { b_ = scalarsOfB(b, arithmetic_, extend(p_.signs.b)); }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        return withStart(scalars(a, arithmetic_, extend(p_.signs.a)), c);
    }

    void step(Row& row, uint32_t k) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            add(row.sums[j], emit_.op(spv::Op::OpIMul, arithmetic_, {row.left[k], b_[k][j]}));
        }
    }

    std::vector<Id> end(Row& row) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            Id& sum = row.sums[j];
            if (p_.saturating) {
                const uint32_t width = types_.width(p_.result->component);
                sum = saturatingAdd(emit_, arithmetic_, width, p_.signs.result, sum, row.start[j]);
            }
            sum = narrowInteger(emit_, sum, p_.result->component);
        }
        return pack(row.sums);
    }

 protected:
    Convert extend(bool isSigned) {
        return [this, isSigned](Id value, Id type) {
            return extendInteger(emit_, value, type, isSigned);
        };
    }

    // Without saturation C may as well start the sums; with it, it is added last.
    Row withStart(std::vector<Id> left, std::span<const Id> c) {
        std::vector<Id> start = scalars(c, arithmetic_, extend(p_.signs.c));
        std::vector<Id> sums = p_.saturating ? std::vector<Id>(columns()) : start;
        return {std::move(left), std::move(start), std::move(sums)};
    }

    void add(Id& sum, Id product) {
        sum = sum == 0 ? product : emit_.op(spv::Op::OpIAdd, arithmetic_, {sum, product});
    }

    Id arithmetic_;
    std::vector<std::vector<Id>> b_;
};

// Four 8-bit products at once, where the device does that fast.
class DotRow : public IntegerRow {
 public:
    using IntegerRow::IntegerRow;

    static bool fits(const LoweringContext& context, const Product& p) {
        const TypeTable& types = context.types;
        const DeviceTraits& device = context.target.device;
        const bool fast = p.signs.a == p.signs.b
                              ? (p.signs.a ? device.dot4x8Signed : device.dot4x8Unsigned)
                              : device.dot4x8Mixed;
        return device.shaderIntegerDotProduct && fast && types.width(p.a->component) == 8 &&
               types.width(p.b->component) == 8 && types.width(p.result->component) == 32 &&
               p.a->fragment.packWidth == 4 && p.b->fragment.packWidth == 4;
    }

    void prepareB(Id b) override {
        context_.module.addCapability(spv::Capability::DotProduct);
        context_.module.addCapability(spv::Capability::DotProductInput4x8BitPacked);
        if (context_.module.version() < 0x00010600) {
            context_.module.addExtension("SPV_KHR_integer_dot_product");
        }
        for (Id pack : extractPacks(emit_, *p_.b, b)) {
            packs_.push_back(emit_.bitcast(types_.uint32(), pack));
        }
    }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        std::vector<Id> left;
        for (Id pack : a) left.push_back(emit_.bitcast(types_.uint32(), pack));
        return withStart(std::move(left), c);
    }

    uint32_t steps() const override { return depth() / 4; }

    void step(Row& row, uint32_t k) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            add(row.sums[j], dot(row.left[k], packs_[p_.b->fragment.packOf(4 * k, j)]));
        }
    }

 private:
    Id dot(Id a, Id b) {
        spv::Op opcode = spv::Op::OpSUDot;
        if (p_.signs.a == p_.signs.b) {
            opcode = p_.signs.a ? spv::Op::OpSDot : spv::Op::OpUDot;
        } else if (p_.signs.b) {
            std::swap(a, b);  // OpSUDot takes the signed operand first
        }
        return emit_.op(opcode, arithmetic_,
                        {idOperand(a), idOperand(b),
                         literal(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)});
    }

    std::vector<Id> packs_;
};

std::unique_ptr<RowProduct> chooseRow(LoweringContext& context, Emitter& emit, const Product& p) {
    if (context.types.isFloat(p.result->component)) {
        if (HalfDotRow::fits(context, p)) return std::make_unique<HalfDotRow>(context, emit, p);
        if (PackedHalfRow::fits(context, p)) {
            return std::make_unique<PackedHalfRow>(context, emit, p);
        }
        return std::make_unique<FloatRow>(context, emit, p);
    }
    if (DotRow::fits(context, p)) return std::make_unique<DotRow>(context, emit, p);
    return std::make_unique<IntegerRow>(context, emit, p);
}

uint32_t packsPerRow(const MatrixType& m) {
    return m.fragment.columns.count() / m.fragment.packWidth;
}

// All rows advance through K together: neighbouring products are then independent of each other,
// and a value of B serves every row while it is at hand. On CPUs rows go in turn: their registers
// are few, so fewer sums should be under way.
void emitUnrolled(FunctionBuilder& function, const Product& p, RowProduct& product, bool inTurn) {
    Emitter& emit = function.emit();
    const std::vector<Id> a = extractPacks(emit, *p.a, function.parameter(0));
    const std::vector<Id> c = extractPacks(emit, *p.c, function.parameter(2));
    const uint32_t rows = p.result->fragment.rows.count();
    const auto rowOf = [](const std::vector<Id>& packs, const MatrixType& m, uint32_t row) {
        return std::span(packs).subspan(row * packsPerRow(m), packsPerRow(m));
    };
    std::vector<RowProduct::Row> under;
    for (uint32_t i = 0; i < rows; ++i) {
        under.push_back(product.begin(rowOf(a, *p.a, i), rowOf(c, *p.c, i)));
    }
    if (inTurn) {
        for (RowProduct::Row& row : under) {
            for (uint32_t k = 0; k < product.steps(); ++k) product.step(row, k);
        }
    } else {
        for (uint32_t k = 0; k < product.steps(); ++k) {
            for (RowProduct::Row& row : under) product.step(row, k);
        }
    }
    std::vector<Id> result;
    for (RowProduct::Row& row : under) {
        const std::vector<Id> packs = product.end(row);
        result.insert(result.end(), packs.begin(), packs.end());
    }
    function.finish(constructFromPacks(emit, *p.result, result));
}

// The lane's rows one by one at run time; A, C and the result live in local arrays.
void emitLooped(LoweringContext& context, FunctionBuilder& function, const Product& p,
                RowProduct& row) {
    Emitter& emit = function.emit();
    TypeTable& types = context.types;
    const Id u32 = types.uint32();
    const auto pointerTo = [&](Id variable, const MatrixType& m, Id rowIndex, uint32_t pack) {
        const Id type = types.pointerType(spv::StorageClass::Function, m.pack);
        const Id first = emit.mulInt(u32, rowIndex, types.constantU32(packsPerRow(m)));
        return emit.op(spv::Op::OpAccessChain, type,
                       {variable, emit.addInt(u32, first, types.constantU32(pack))});
    };
    const auto loadRow = [&](Id variable, const MatrixType& m, Id rowIndex) {
        std::vector<Id> packs;
        for (uint32_t pack = 0; pack < packsPerRow(m); ++pack) {
            packs.push_back(
                emit.op(spv::Op::OpLoad, m.pack, {pointerTo(variable, m, rowIndex, pack)}));
        }
        return packs;
    };
    const Id a = function.variable(p.a->id);
    const Id c = function.variable(p.c->id);
    const Id result = function.variable(p.result->id);
    emit.opVoid(spv::Op::OpStore, {idOperand(a), idOperand(function.parameter(0))});
    emit.opVoid(spv::Op::OpStore, {idOperand(c), idOperand(function.parameter(2))});
    function.loop(p.result->fragment.rows.count(), [&](Id rowIndex) {
        RowProduct::Row under = row.begin(loadRow(a, *p.a, rowIndex), loadRow(c, *p.c, rowIndex));
        for (uint32_t k = 0; k < row.steps(); ++k) row.step(under, k);
        const std::vector<Id> packs = row.end(under);
        for (uint32_t pack = 0; pack < packs.size(); ++pack) {
            emit.opVoid(spv::Op::OpStore, {idOperand(pointerTo(result, *p.result, rowIndex, pack)),
                                           idOperand(packs[pack])});
        }
    });
    function.finish(emit.op(spv::Op::OpLoad, p.result->id, {result}));
}

}  // namespace

void emitProduct(LoweringContext& context, FunctionBuilder& function, const Product& product) {
    const std::unique_ptr<RowProduct> row = chooseRow(context, function.emit(), product);
    row->prepareB(function.parameter(1));
    const uint32_t products = product.result->fragment.length() * product.a->columns;
    if (products <= kMaxUnrolledProducts)
        emitUnrolled(function, product, *row, context.target.device.isCpu);
    else
        emitLooped(context, function, product, *row);
}

}  // namespace coopvk::rewrite
