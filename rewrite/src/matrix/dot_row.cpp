// SPDX-License-Identifier: Apache-2.0
//
// Products of 4- and 8-bit components as dot products of four bytes.
#include "lowering/words.hpp"
#include "matrix/product.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kOnes = 0x01010101;

// A component x is read as the byte (x - offset) * 2^shift.
struct ByteReading {
    uint32_t bits = 8;      // of a component: 8, or 4, of which a word has eight
    bool isSigned = false;  // of the byte
    uint32_t shift = 0;
    int32_t offset = 0;

    // A signed byte has a signed 4-bit component in its upper half, where the sign bits coincide;
    // other bytes have the component in their low bits. Where only one of byte and component is
    // signed, the component's highest bit is flipped first: that adds or subtracts 2^(bits - 1).
    ByteReading(uint32_t componentBits, bool componentSigned, bool byteSigned)
        : bits(componentBits), isSigned(byteSigned) {
        const bool fits = componentSigned == byteSigned || (bits == 4 && !componentSigned);
        if (bits == 4 && componentSigned && byteSigned) shift = 4;
        if (!fits) offset = (componentSigned ? -1 : 1) * (1 << (bits - 1));
    }

    // The bytes of a word of components: one word, or for 4-bit components two words, that of the
    // components with even numbers first.
    std::vector<Id> bytes(Emitter& emit, Id packed) const {
        U32 word(emit, packed);
        if (offset != 0) word = word ^ (bits == 4 ? 0x88888888 : 0x80808080);
        if (bits == 8) return {word};
        if (shift == 0) return {word & 0x0F0F0F0F, word >> 4 & 0x0F0F0F0F};
        return {word << 4 & 0xF0F0F0F0, word & 0xF0F0F0F0};
    }
};

struct Readings {
    ByteReading a, b;
};

// The accelerated dot product with the fewest operands that need an offset. Where none is
// accelerated, that of unsigned bytes, whose products fit the fast 24-bit multiplications of GPUs.
Readings chooseReadings(const DevicePlan& device, const Signs& signs, uint32_t bits) {
    std::optional<Readings> best;
    const auto offsets = [](const Readings& r) { return (r.a.offset != 0) + (r.b.offset != 0); };
    for (const bool a : {signs.a, !signs.a}) {
        for (const bool b : {signs.b, !signs.b}) {
            const Readings r = {{bits, signs.a, a}, {bits, signs.b, b}};
            const bool isFast = device.acceleratesDots(a, b);
            if (isFast && (!best || offsets(r) < offsets(*best))) best = r;
        }
    }
    return best.value_or(Readings{{bits, signs.a, false}, {bits, signs.b, false}});
}

// Bits of a component of A and B; 0 where packs of both are not words with as many components.
uint32_t bitsInWords(const TypeTable& types, const MulAdd& p) {
    if (types.width(p.a->component) != 8 || types.width(p.b->component) != 8) return 0;
    const uint32_t width = p.a->fragment.packWidth;
    if (width != p.b->fragment.packWidth || types.width(p.result->component) != 32) return 0;
    return width == 4 || width == 8 ? 32 / width : 0;
}

// A component x is read as the byte x' = (x - offsetX) * scaleX, and y likewise. Modulo 2^32:
//   scaleX * scaleY * sum(x * y) = sum(x' * y')
//     + offsetY * scaleY * sum(x') + offsetX * scaleX * sum(y')
//     + K * offsetX * offsetY * scaleX * scaleY
class DotRow : public IntegerRow {
 public:
    DotRow(MatrixContext& context, Emitter& emit, const MulAdd& p, const Readings& readings)
        : IntegerRow(context, emit, p), a_(readings.a), b_(readings.b) {}

    void prepareB(Id b) override {
        context_.module.addCapability(spv::Capability::DotProduct);
        context_.module.addCapability(spv::Capability::DotProductInput4x8BitPacked);
        if (context_.module.version() < 0x00010600) {
            context_.module.addExtension("SPV_KHR_integer_dot_product");
        }
        for (Id pack : extractPacks(emit_, *p_.b, b)) {
            bytes_.push_back(b_.bytes(emit_, emit_.bitcast(types_.uint32(), pack)));
        }
        if (a_.offset == 0) return;
        for (uint32_t j = 0; j < columns(); ++j) {
            Id sum = 0;
            for (uint32_t k = 0; k < steps(); ++k) add(sum, dot(ones(), bytesOfB(k, j)));
            sum = times(sum, factor(a_));
            add(sum, types_.constantU32(depth() * factor(a_) * factor(b_)));
            corrections_.push_back(sum);
        }
    }

    Row begin(std::span<const Id> a, std::span<const Id> c) override {
        std::vector<Id> left;
        for (Id pack : a) {
            for (Id four : a_.bytes(emit_, emit_.bitcast(types_.uint32(), pack))) {
                left.push_back(four);
            }
        }
        Id correction = 0;
        if (b_.offset != 0) {
            for (Id four : left) add(correction, dot(four, ones()));
            correction = times(correction, factor(b_));
        }
        Row row = withC(std::move(left), c, !p_.saturating && shift() == 0);
        for (uint32_t j = 0; j < columns(); ++j) {
            if (a_.offset != 0) add(row.sums[j], corrections_[j]);
            if (b_.offset != 0) add(row.sums[j], correction);
        }
        return row;
    }

    uint32_t steps() const override { return depth() / 4; }

    void step(Row& row, uint32_t k) override {
        for (uint32_t j = 0; j < columns(); ++j) {
            add(row.sums[j], dot(row.left[k], bytesOfB(k, j)));
        }
    }

    std::vector<Id> end(Row& row) override {
        for (uint32_t j = 0; j < columns() && shift() != 0; ++j) {
            row.sums[j] = emit_.op(OpShiftRightArithmetic, arithmetic_,
                                   {row.sums[j], types_.constantU32(shift())});
            if (!p_.saturating) add(row.sums[j], row.start[j]);
        }
        return IntegerRow::end(row);
    }

 private:
    uint32_t shift() const { return a_.shift + b_.shift; }

    static uint32_t factor(const ByteReading& reading) {
        return static_cast<uint32_t>(reading.offset) << reading.shift;
    }

    Id ones() { return types_.constantU32(kOnes); }  // as signed or unsigned bytes

    Id times(Id sum, uint32_t number) {
        return emit_.op(OpIMul, arithmetic_, {sum, types_.constantU32(number)});
    }

    Id bytesOfB(uint32_t k, uint32_t column) const {
        const uint32_t perPack = 8 / b_.bits;
        const uint32_t row = k / perPack * p_.b->fragment.packWidth;
        return bytes_[p_.b->fragment.packOf(row, column)][k % perPack];
    }

    Id dot(Id a, Id b) {
        spv::Op opcode = OpSUDot;
        if (a_.isSigned == b_.isSigned) {
            opcode = a_.isSigned ? OpSDot : OpUDot;
        } else if (b_.isSigned) {
            std::swap(a, b);  // OpSUDot takes the signed operand first
        }
        return emit_.op(opcode, arithmetic_,
                        {idOperand(a), idOperand(b),
                         literal(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)});
    }

    ByteReading a_, b_;
    std::vector<std::vector<Id>> bytes_;  // of each pack of B
    std::vector<Id> corrections_;         // addends of each column's sums, for A's offset
};

}  // namespace

std::unique_ptr<RowProduct> dotRow(MatrixContext& context, Emitter& emit, const MulAdd& p) {
    const uint32_t bits = bitsInWords(context.types, p);
    if (bits == 0) return nullptr;
    const DevicePlan& device = context.target.device;
    const Readings readings = chooseReadings(device, p.signs, bits);
    const bool isDirect = device.acceleratesDots(readings.a.isSigned, readings.b.isSigned) &&
                          readings.a.offset == 0 && readings.b.offset == 0;
    if (!isDirect && !device.prefersByteDots) return nullptr;
    return std::make_unique<DotRow>(context, emit, p, readings);
}

}  // namespace coopvk::rewrite
