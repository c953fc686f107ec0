// SPDX-License-Identifier: Apache-2.0
#include "passes/fold_constants.hpp"

#include <algorithm>

#include "ir/composites.hpp"

namespace coopvk::rewrite {

namespace {

// One scalar with the facts that arithmetic needs.
struct Scalar {
    uint64_t bits = 0;
    uint32_t width = 32;

    int64_t asSigned() const {
        if (width == 64) return static_cast<int64_t>(bits);
        const uint64_t sign = uint64_t{1} << (width - 1);
        return static_cast<int64_t>(((bits & mask()) ^ sign) - sign);
    }
    uint64_t asUnsigned() const { return bits & mask(); }
    uint64_t mask() const { return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
};

using spv::Op;
using Binary = uint64_t (*)(Scalar, Scalar);

uint64_t signedRemainder(Scalar a, Scalar b) {
    // b == -1 overflows in C++ for the smallest a; the remainder is 0 for any a.
    if (b.asSigned() == 0 || b.asSigned() == -1) return 0;
    return static_cast<uint64_t>(a.asSigned() % b.asSigned());
}

uint64_t signedModulo(Scalar a, Scalar b) {
    const auto remainder = static_cast<int64_t>(signedRemainder(a, b));
    if (remainder != 0 && (remainder < 0) != (b.asSigned() < 0)) {
        return static_cast<uint64_t>(remainder + b.asSigned());
    }
    return static_cast<uint64_t>(remainder);
}

uint64_t signedQuotient(Scalar a, Scalar b) {
    if (b.asSigned() == 0) return 0;
    if (b.asSigned() == -1) return uint64_t{0} - a.bits;
    return static_cast<uint64_t>(a.asSigned() / b.asSigned());
}

uint64_t arithmeticShift(Scalar a, Scalar b) {
    const uint64_t by = b.asUnsigned();
    return by >= a.width ? 0 : static_cast<uint64_t>(a.asSigned() >> by);
}

// Operations whose operands and result are single scalars. Results that SPIR-V leaves undefined
// (division by zero, over-wide shifts) are 0.
constexpr std::pair<Op, Binary> kBinary[] = {
    {Op::OpIAdd, [](Scalar a, Scalar b) { return a.bits + b.bits; }},
    {Op::OpISub, [](Scalar a, Scalar b) { return a.bits - b.bits; }},
    {Op::OpIMul, [](Scalar a, Scalar b) { return a.bits * b.bits; }},
    {Op::OpUDiv,
     [](Scalar a, Scalar b) { return b.asUnsigned() == 0 ? 0 : a.asUnsigned() / b.asUnsigned(); }},
    {Op::OpUMod,
     [](Scalar a, Scalar b) { return b.asUnsigned() == 0 ? 0 : a.asUnsigned() % b.asUnsigned(); }},
    {Op::OpSDiv, signedQuotient},
    {Op::OpSRem, signedRemainder},
    {Op::OpSMod, signedModulo},
    {Op::OpShiftLeftLogical,
     [](Scalar a, Scalar b) { return b.asUnsigned() >= a.width ? 0 : a.bits << b.asUnsigned(); }},
    {Op::OpShiftRightLogical,
     [](Scalar a, Scalar b) {
         return b.asUnsigned() >= a.width ? 0 : a.asUnsigned() >> b.asUnsigned();
     }},
    {Op::OpShiftRightArithmetic, arithmeticShift},
    {Op::OpBitwiseAnd, [](Scalar a, Scalar b) { return a.bits & b.bits; }},
    {Op::OpLogicalAnd, [](Scalar a, Scalar b) { return a.bits & b.bits; }},
    {Op::OpBitwiseOr, [](Scalar a, Scalar b) { return a.bits | b.bits; }},
    {Op::OpLogicalOr, [](Scalar a, Scalar b) { return a.bits | b.bits; }},
    {Op::OpBitwiseXor, [](Scalar a, Scalar b) { return a.bits ^ b.bits; }},
    {Op::OpIEqual, [](Scalar a, Scalar b) -> uint64_t { return a.asUnsigned() == b.asUnsigned(); }},
    {Op::OpLogicalEqual,
     [](Scalar a, Scalar b) -> uint64_t { return a.asUnsigned() == b.asUnsigned(); }},
    {Op::OpINotEqual,
     [](Scalar a, Scalar b) -> uint64_t { return a.asUnsigned() != b.asUnsigned(); }},
    {Op::OpLogicalNotEqual,
     [](Scalar a, Scalar b) -> uint64_t { return a.asUnsigned() != b.asUnsigned(); }},
    {Op::OpULessThan,
     [](Scalar a, Scalar b) -> uint64_t { return a.asUnsigned() < b.asUnsigned(); }},
    {Op::OpULessThanEqual,
     [](Scalar a, Scalar b) -> uint64_t { return a.asUnsigned() <= b.asUnsigned(); }},
    {Op::OpUGreaterThan,
     [](Scalar a, Scalar b) -> uint64_t { return a.asUnsigned() > b.asUnsigned(); }},
    {Op::OpUGreaterThanEqual,
     [](Scalar a, Scalar b) -> uint64_t { return a.asUnsigned() >= b.asUnsigned(); }},
    {Op::OpSLessThan, [](Scalar a, Scalar b) -> uint64_t { return a.asSigned() < b.asSigned(); }},
    {Op::OpSLessThanEqual,
     [](Scalar a, Scalar b) -> uint64_t { return a.asSigned() <= b.asSigned(); }},
    {Op::OpSGreaterThan,
     [](Scalar a, Scalar b) -> uint64_t { return a.asSigned() > b.asSigned(); }},
    {Op::OpSGreaterThanEqual,
     [](Scalar a, Scalar b) -> uint64_t { return a.asSigned() >= b.asSigned(); }},
};

using Unary = uint64_t (*)(Scalar);

constexpr std::pair<Op, Unary> kUnary[] = {
    {Op::OpSNegate, [](Scalar a) { return uint64_t{0} - a.bits; }},
    {Op::OpNot, [](Scalar a) { return ~a.bits; }},
    {Op::OpLogicalNot, [](Scalar a) { return a.bits ^ 1u; }},
    {Op::OpUConvert, [](Scalar a) { return a.asUnsigned(); }},
    {Op::OpSConvert, [](Scalar a) { return static_cast<uint64_t>(a.asSigned()); }},
};

template <typename Operation, size_t N>
Operation find(const std::pair<Op, Operation> (&table)[N], Op opcode) {
    const auto row = std::ranges::find(table, opcode, &std::pair<Op, Operation>::first);
    return row == std::end(table) ? nullptr : row->second;
}

class Folder {
 public:
    Folder(TypeTable& types, const MatrixLength& length) : types_(types), length_(length) {}

    // Id of a constant with the value, or 0.
    Id fold(const Instruction& i) {
        const auto opcode = static_cast<spv::Op>(i.word(0));
        if (opcode == spv::Op::OpCooperativeMatrixLengthKHR) {
            const std::optional<uint32_t> value = length_ ? length_(i.word(1)) : std::nullopt;
            return value ? types_.constant(i.type, *value) : 0;
        }
        if (opcode == spv::Op::OpCompositeExtract) return extract(i);
        if (opcode == spv::Op::OpSelect) return select(i);
        if (opcode == spv::Op::OpVectorShuffle) return shuffle(i);
        if (opcode == spv::Op::OpCompositeInsert) return insert(i, i.word(1), i.word(2), 3);
        const uint32_t count = types_.components(i.type);
        if (count == 0) return 0;
        std::vector<Id> parts;
        for (uint32_t c = 0; c < count; ++c) {
            const std::optional<uint64_t> bits = component(opcode, i, c);
            if (!bits) return 0;
            parts.push_back(scalarConstant(types_.scalarOf(i.type), *bits));
        }
        return count == 1 ? parts[0] : types_.constantComposite(i.type, parts);
    }

 private:
    std::optional<uint64_t> component(spv::Op opcode, const Instruction& i, uint32_t c) {
        const std::optional<Scalar> a = scalar(i.word(1), c);
        if (!a) return std::nullopt;
        if (const Unary unary = find(kUnary, opcode)) return unary(*a);
        const Binary binary = find(kBinary, opcode);
        const std::optional<Scalar> b = scalar(i.word(2), c);
        if (binary == nullptr || !b) return std::nullopt;
        return binary(*a, *b);
    }

    Id scalarConstant(Id type, uint64_t bits) {
        return isBool(type) ? types_.constantBool((bits & 1) != 0) : types_.constant(type, bits);
    }

    bool isBool(Id type) const { return types_.module().def(type).opcode == spv::Op::OpTypeBool; }

    // Component c of a constant (component 0 of a scalar for every c).
    std::optional<Scalar> scalar(Id id, uint32_t c) {
        const Instruction& def = types_.module().def(id);
        if (types_.components(def.type) > 1) {
            if (def.opcode == spv::Op::OpConstantNull) {
                return Scalar{0, isBool(types_.scalarOf(def.type)) ? 1 : types_.width(def.type)};
            }
            const Id constituent = def.word(c);
            const Id type = types_.module().def(constituent).type;
            if (def.opcode != spv::Op::OpConstantComposite || types_.components(type) != 1) {
                return std::nullopt;
            }
            return scalar(constituent, 0);
        }
        if (def.opcode == spv::Op::OpConstantTrue) return Scalar{1, 1};
        if (def.opcode == spv::Op::OpConstantFalse) return Scalar{0, 1};
        if (def.opcode == spv::Op::OpConstantNull && isBool(def.type)) return Scalar{0, 1};
        const std::optional<uint64_t> value = types_.module().constantValue(id);
        if (!value) return std::nullopt;
        return Scalar{*value, types_.width(def.type)};
    }

    Id extract(const Instruction& i) {
        Id id = i.word(1);
        for (size_t index = 2; index < i.operands.size(); ++index) {
            const Instruction& def = types_.module().def(id);
            if (def.opcode == spv::Op::OpConstantNull) return types_.constantNull(i.type);
            if (def.opcode != spv::Op::OpConstantComposite) return 0;
            id = def.word(i.word(index));
        }
        const Instruction& def = types_.module().def(id);
        return def.type == i.type && def.opcode != spv::Op::OpSpecConstantOp ? id : 0;
    }

    // Constituent of a frozen composite constant; 0 if it is none.
    Id constituent(Id composite, uint32_t index) {
        const Instruction& def = types_.module().def(composite);
        if (def.opcode == spv::Op::OpConstantComposite) return def.word(index);
        if (def.opcode != spv::Op::OpConstantNull) return 0;
        const Id member = memberType(types_.module(), def.type, index);
        return member == 0 ? 0 : types_.constantNull(member);
    }

    Id shuffle(const Instruction& i) {
        const auto components = [&](Id vector) {
            return types_.components(types_.module().def(vector).type);
        };
        const uint32_t first = components(i.word(1));
        std::vector<Id> parts;
        for (size_t o = 3; o < i.operands.size(); ++o) {
            // 0xFFFFFFFF: any value.
            const uint32_t index = i.word(o) == ~0u ? 0 : i.word(o);
            if (index >= first + components(i.word(2))) return 0;
            parts.push_back(index < first ? constituent(i.word(1), index)
                                          : constituent(i.word(2), index - first));
            if (parts.back() == 0) return 0;
        }
        return parts.size() == types_.components(i.type) ? types_.constantComposite(i.type, parts)
                                                         : 0;
    }

    // `composite` with `object` where the indices from operand `first` on lead.
    Id insert(const Instruction& i, Id object, Id composite, size_t first) {
        if (first == i.operands.size()) return object;
        constexpr uint64_t kMaxMembers = 4096;
        const Id type = types_.module().def(composite).type;
        const uint64_t count = memberCount(types_.module(), type).value_or(0);
        if (i.word(first) >= count || count > kMaxMembers) return 0;
        std::vector<Id> parts;
        for (uint32_t member = 0; member < count; ++member) {
            Id part = constituent(composite, member);
            if (part != 0 && member == i.word(first)) part = insert(i, object, part, first + 1);
            if (part == 0 || types_.module().def(part).opcode == spv::Op::OpSpecConstantOp) {
                return 0;
            }
            parts.push_back(part);
        }
        return types_.constantComposite(type, parts);
    }

    // Scalar condition; a vector of conditions on vectors picks component by component.
    Id select(const Instruction& i) {
        const Id condition = i.word(1);
        if (types_.components(types_.module().def(condition).type) == 1) {
            const std::optional<Scalar> value = scalar(condition, 0);
            if (!value) return 0;
            const Id chosen = i.word(value->bits != 0 ? 2 : 3);
            return types_.module().def(chosen).opcode == spv::Op::OpSpecConstantOp ? 0 : chosen;
        }
        std::vector<Id> parts;
        for (uint32_t c = 0; c < types_.components(i.type); ++c) {
            const std::optional<Scalar> which = scalar(condition, c);
            if (!which) return 0;
            const std::optional<Scalar> value = scalar(i.word(which->bits != 0 ? 2 : 3), c);
            if (!value) return 0;
            parts.push_back(scalarConstant(types_.scalarOf(i.type), value->bits));
        }
        return parts.empty() ? 0 : types_.constantComposite(i.type, parts);
    }

    TypeTable& types_;
    const MatrixLength& length_;
};

}  // namespace

bool foldSpecConstantOp(TypeTable& types, Instruction& instruction, const MatrixLength& length) {
    const Id folded = Folder(types, length).fold(instruction);
    if (folded == 0 || folded == instruction.result) return false;
    // The id must stay defined where it is named, so the constant is repeated under it.
    const Instruction& constant = types.module().def(folded);
    instruction.opcode = constant.opcode;
    instruction.operands = constant.operands;
    return true;
}

}  // namespace coopvk::rewrite
