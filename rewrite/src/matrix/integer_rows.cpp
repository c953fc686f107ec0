// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "matrix/integer_arithmetic.hpp"
#include "matrix/packs.hpp"
#include "matrix/row_product.hpp"

namespace coopvk::rewrite {

namespace {

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

}  // namespace

std::unique_ptr<RowProduct> integerRow(LoweringContext& context, Emitter& emit, const Product& p) {
    if (DotRow::fits(context, p)) return std::make_unique<DotRow>(context, emit, p);
    return std::make_unique<IntegerRow>(context, emit, p);
}

}  // namespace coopvk::rewrite
