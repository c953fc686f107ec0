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

// Accumulates, for one row of A in this lane, over all of K and all of the lane's columns.
// The row's packs of A and of the accumulator come and go through plain arrays, so that the same
// code serves the unrolled and the looped form.
class RowProduct {
 public:
    RowProduct(LoweringContext& context, Emitter& emit, const Product& product)
        : context_(context), types_(context.types), emit_(emit), p_(product) {}
    virtual ~RowProduct() = default;

    // Takes B apart once, ahead of all rows.
    virtual void prepareB(Id b) = 0;
    // Packs of the result's row from packs of A's row and of C's row.
    virtual std::vector<Id> row(std::span<const Id> a, std::span<const Id> c) = 0;

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

Id glslImport(Module& module) {
    constexpr std::string_view kName = "GLSL.std.450";
    for (const InstructionPtr& i : module.section(Section::kExtInstImports)) {
        if (stringFromOperands(*i, 0) == kName) return i->result;
    }
    const Id id = module.takeId();
    module.append(Section::kExtInstImports,
                  makeInstruction(spv::Op::OpExtInstImport, 0, id, stringOperands(kName)));
    return id;
}

Id fma(Emitter& emit, Id type, Id a, Id b, Id c) {
    return emit.op(spv::Op::OpExtInst, type,
                   {idOperand(glslImport(emit.module())), literal(uint32_t{GLSLstd450Fma}),
                    idOperand(a), idOperand(b), idOperand(c)});
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

    std::vector<Id> row(std::span<const Id> a, std::span<const Id> c) override {
        const std::vector<Id> left = scalars(a, arithmetic_, convert());
        std::vector<Id> sums = scalars(c, arithmetic_, convert());
        for (uint32_t k = 0; k < depth(); ++k) {
            for (uint32_t j = 0; j < columns(); ++j) {
                sums[j] = fma(emit_, arithmetic_, left[k], b_[k][j], sums[j]);
            }
        }
        for (Id& sum : sums) sum = convertFloat(emit_, sum, p_.result->component);
        return pack(sums);
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
               context.types.width(p.c->component) == 16 && !context.target.device.isCpu;
    }

    void prepareB(Id b) override { b_ = extractPacks(emit_, *p_.b, b); }

    std::vector<Id> row(std::span<const Id> a, std::span<const Id> c) override {
        const Id pair = p_.result->pack;
        const std::vector<Id> left =
            scalars(a, p_.a->component, [](Id value, Id) { return value; });
        std::vector<Id> sums(c.begin(), c.end());
        for (uint32_t k = 0; k < depth(); ++k) {
            const Id both = emit_.splat(pair, left[k]);
            for (uint32_t j = 0; j < sums.size(); ++j) {
                sums[j] = fma(emit_, pair, both, b_[p_.b->fragment.packOf(k, 2 * j)], sums[j]);
            }
        }
        return sums;
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

    std::vector<Id> row(std::span<const Id> a, std::span<const Id> c) override {
        const std::vector<Id> left = scalars(a, arithmetic_, extend(p_.signs.a));
        return finish(
            c,
            [&](uint32_t k, uint32_t j, Id sum) {
                const Id product = emit_.op(spv::Op::OpIMul, arithmetic_, {left[k], b_[k][j]});
                return sum == 0 ? product : emit_.op(spv::Op::OpIAdd, arithmetic_, {sum, product});
            },
            depth());
    }

 protected:
    Convert extend(bool isSigned) {
        return [this, isSigned](Id value, Id type) {
            return extendInteger(emit_, value, type, isSigned);
        };
    }

    // Sums `steps` products for each column, adds C, narrows to the result's components.
    template <typename Step>
    std::vector<Id> finish(std::span<const Id> c, Step step, uint32_t steps) {
        std::vector<Id> sums = scalars(c, arithmetic_, extend(p_.signs.c));
        for (uint32_t j = 0; j < columns(); ++j) {
            // Without saturation C may as well start the chain; with it, it is added last.
            Id sum = p_.saturating ? 0 : sums[j];
            for (uint32_t k = 0; k < steps; ++k) sum = step(k, j, sum);
            if (p_.saturating) {
                const uint32_t width = types_.width(p_.result->component);
                sum = saturatingAdd(emit_, arithmetic_, width, p_.signs.result, sum, sums[j]);
            }
            sums[j] = narrowInteger(emit_, sum, p_.result->component);
        }
        return pack(sums);
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

    std::vector<Id> row(std::span<const Id> a, std::span<const Id> c) override {
        std::vector<Id> left;
        for (Id pack : a) left.push_back(emit_.bitcast(types_.uint32(), pack));
        return finish(
            c,
            [&](uint32_t k, uint32_t j, Id sum) {
                const Id product = dot(left[k], packs_[p_.b->fragment.packOf(4 * k, j)]);
                return sum == 0 ? product : emit_.op(spv::Op::OpIAdd, arithmetic_, {sum, product});
            },
            depth() / 4);
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

void emitUnrolled(HelperFunction& function, const Product& p, RowProduct& row) {
    Emitter& emit = function.emit();
    const std::vector<Id> a = extractPacks(emit, *p.a, function.parameter(0));
    const std::vector<Id> c = extractPacks(emit, *p.c, function.parameter(2));
    std::vector<Id> result;
    for (uint32_t i = 0; i < p.result->fragment.rows.count(); ++i) {
        const auto rowOf = [i](const std::vector<Id>& packs, const MatrixType& m) {
            return std::span(packs).subspan(i * packsPerRow(m), packsPerRow(m));
        };
        const std::vector<Id> packs = row.row(rowOf(a, *p.a), rowOf(c, *p.c));
        result.insert(result.end(), packs.begin(), packs.end());
    }
    function.finish(constructFromPacks(emit, *p.result, result));
}

// The lane's rows one by one at run time; A, C and the result live in local arrays.
void emitLooped(LoweringContext& context, HelperFunction& function, const Product& p,
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
        const std::vector<Id> packs =
            row.row(loadRow(a, *p.a, rowIndex), loadRow(c, *p.c, rowIndex));
        for (uint32_t pack = 0; pack < packs.size(); ++pack) {
            emit.opVoid(spv::Op::OpStore, {idOperand(pointerTo(result, *p.result, rowIndex, pack)),
                                           idOperand(packs[pack])});
        }
    });
    function.finish(emit.op(spv::Op::OpLoad, p.result->id, {result}));
}

}  // namespace

void emitProduct(LoweringContext& context, HelperFunction& function, const Product& product) {
    const std::unique_ptr<RowProduct> row = chooseRow(context, function.emit(), product);
    row->prepareB(function.parameter(1));
    const uint32_t products = product.result->fragment.length() * product.a->columns;
    if (products <= kMaxUnrolledProducts)
        emitUnrolled(function, product, *row);
    else
        emitLooped(context, function, product, *row);
}

}  // namespace coopvk::rewrite
