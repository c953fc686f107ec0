// SPDX-License-Identifier: Apache-2.0
#include "matrix/integer_row.hpp"

namespace coopvk::rewrite {

namespace {

// As what the dot product reads the bytes of A and B.
struct DotSigns {
    bool a = false, b = false;
    bool operator==(const DotSigns&) const = default;
};

constexpr uint32_t kSignBits = 0x80808080;
constexpr uint32_t kOnes = 0x01010101;
constexpr uint32_t kBias = 128;  // between a byte and the one with the other sign bit

bool isAccelerated(const DeviceTraits& device, DotSigns signs) {
    if (signs.a != signs.b) return device.dot4x8Mixed;
    return signs.a ? device.dot4x8Signed : device.dot4x8Unsigned;
}

// The accelerated dot product that takes the fewest operands with the other sign; without any, that
// of unsigned bytes, whose products fit the fast 24-bit multiplications that GPUs have. A CPU
// multiplies components of a whole vector register at once.
std::optional<DotSigns> dotSigns(const DeviceTraits& device, const Signs& signs) {
    const DotSigns candidates[] = {{signs.a, signs.b},
                                   {signs.a, !signs.b},
                                   {!signs.a, signs.b},
                                   {!signs.a, !signs.b}};
    if (!device.shaderIntegerDotProduct) return std::nullopt;
    for (const DotSigns& candidate : candidates) {
        if (isAccelerated(device, candidate)) return candidate;
        if (device.isCpu) return std::nullopt;
    }
    return DotSigns{};
}

bool isOfBytes(const TypeTable& types, const Product& p) {
    return types.width(p.a->component) == 8 && types.width(p.b->component) == 8 &&
           types.width(p.result->component) == 32 && p.a->fragment.packWidth == 4 &&
           p.b->fragment.packWidth == 4;
}

// A byte read with the other sign after its sign bit is flipped is 128 more (signed ones as
// unsigned) or less, an "offset" of -128 or 128:
//   sum (a' + offsetA) * (b' + offsetB)
//     = sum a' * b' + offsetB * sum a' + offsetA * sum b' + K * offsetA * offsetB
// modulo 2^32, which is all that the result keeps.
class DotRow : public IntegerRow {
 public:
    DotRow(LoweringContext& context, Emitter& emit, const Product& p, DotSigns signs)
        : IntegerRow(context, emit, p),
          signs_(signs),
          flipsA_(signs.a != p.signs.a),
          flipsB_(signs.b != p.signs.b) {}

    void prepareB(Id b) override {
        context_.module.addCapability(spv::Capability::DotProduct);
        context_.module.addCapability(spv::Capability::DotProductInput4x8BitPacked);
        if (context_.module.version() < 0x00010600) {
            context_.module.addExtension("SPV_KHR_integer_dot_product");
        }
        for (Id pack : extractPacks(emit_, *p_.b, b)) packs_.push_back(word(pack, flipsB_));
        if (!flipsA_) return;
        for (uint32_t j = 0; j < columns(); ++j) {
            Id sum = 0;
            for (uint32_t k = 0; k < steps(); ++k) add(sum, dot(ones(), packOfB(k, j)));
            corrections_.push_back(times(sum, offset(signs_.a)));
            if (flipsB_) add(corrections_[j], types_.constantU32(depth() * kBias * kBias));
        }
    }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        std::vector<Id> left;
        for (Id pack : a) left.push_back(word(pack, flipsA_));
        Id correction = 0;
        if (flipsB_) {
            for (Id four : left) add(correction, dot(four, ones()));
            correction = times(correction, offset(signs_.b));
        }
        Row row = withStart(std::move(left), c);
        for (uint32_t j = 0; j < columns(); ++j) {
            if (flipsA_) add(row.sums[j], corrections_[j]);
            if (flipsB_) add(row.sums[j], correction);
        }
        return row;
    }

    uint32_t steps() const override { return depth() / 4; }

    void step(Row& row, uint32_t k) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            add(row.sums[j], dot(row.left[k], packOfB(k, j)));
        }
    }

 private:
    // What a byte is more than as it is read: of signed ones that are read as unsigned -128.
    static uint32_t offset(bool readsSigned) { return readsSigned ? kBias : 0 - kBias; }

    Id ones() { return types_.constantU32(kOnes); }  // of either sign

    Id times(Id sum, uint32_t factor) {
        return emit_.op(spv::Op::OpIMul, arithmetic_, {sum, types_.constantU32(factor)});
    }

    Id packOfB(uint32_t k, uint32_t column) const {
        return packs_[p_.b->fragment.packOf(4 * k, column)];
    }

    Id word(Id pack, bool flips) {
        const Id value = emit_.bitcast(types_.uint32(), pack);
        if (!flips) return value;
        return emit_.op(spv::Op::OpBitwiseXor, types_.uint32(),
                        {value, types_.constantU32(kSignBits)});
    }

    Id dot(Id a, Id b) {
        spv::Op opcode = spv::Op::OpSUDot;
        if (signs_.a == signs_.b) {
            opcode = signs_.a ? spv::Op::OpSDot : spv::Op::OpUDot;
        } else if (signs_.b) {
            std::swap(a, b);  // OpSUDot takes the signed operand first
        }
        return emit_.op(opcode, arithmetic_,
                        {idOperand(a), idOperand(b),
                         literal(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)});
    }

    DotSigns signs_;
    bool flipsA_, flipsB_;
    std::vector<Id> packs_;
    std::vector<Id> corrections_;  // of the columns' sums, for A's offset
};

}  // namespace

std::unique_ptr<RowProduct> dotRow(LoweringContext& context, Emitter& emit, const Product& p) {
    if (!isOfBytes(context.types, p)) return nullptr;
    const std::optional<DotSigns> signs = dotSigns(context.target.device, p.signs);
    if (!signs) return nullptr;
    return std::make_unique<DotRow>(context, emit, p, *signs);
}

}  // namespace coopvk::rewrite
