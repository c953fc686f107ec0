// SPDX-License-Identifier: Apache-2.0
//
#include "optimise/fold_constants.hpp"

#include <cmath>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

// What is computed, by an instruction or by OpSpecConstantOp.
struct Operation {
    spv::Op opcode;
    Id type, result;
    std::span<const Operand> operands;

    uint32_t word(size_t index) const { return index < operands.size() ? operands[index].word : 0; }
};

class Folder {
 public:
    Folder(TypeTable& types, const MatrixLength& length)
        : types_(types), module_(types.module()), length_(length) {}

    // A constant with the instruction's value, if that is known.
    std::optional<Id> fold(const Operation& i) {
        const spv::Op opcode = i.opcode;
        if (opcode == OpCooperativeMatrixLengthKHR) {
            const std::optional<uint32_t> value = length_ ? length_(i.word(0)) : std::nullopt;
            return value ? std::optional(types_.constant(i.type, *value)) : std::nullopt;
        }
        if (opcode == OpCompositeExtract) return extract(i);
        if (opcode == OpSelect) return select(i);
        if (opcode == OpVectorShuffle) return shuffle(i);
        if (opcode == OpCompositeInsert) return insert(i, i.word(0), i.word(1), 2);
        if (opcode == OpBitcast) return bitcast(i);
        const uint32_t count = types_.components(i.type);
        if (count == 0) return std::nullopt;
        std::vector<Id> parts;
        for (uint32_t c = 0; c < count; ++c) {
            const std::optional<uint64_t> bits = component(opcode, i, c);
            if (!bits) return std::nullopt;
            parts.push_back(scalarConstant(types_.scalarOf(i.type), *bits));
        }
        return isVector(i.type) ? types_.constantComposite(i.type, parts) : parts[0];
    }

 private:
    std::optional<uint64_t> component(spv::Op opcode, const Operation& i, uint32_t c) {
        if (opcode == OpFConvert || opcode == OpQuantizeToF16) return rounded(opcode, i, c);
        const std::optional<Scalar> a = scalar(i.word(0), c);
        return a ? evaluate(opcode, *a, scalar(i.word(1), c)) : std::nullopt;
    }

    std::optional<uint64_t> rounded(spv::Op opcode, const Operation& i, uint32_t c) {
        const Number* to = formatOf(i.type);
        std::optional<double> value = floatValue(i.word(0), c);
        if (to == nullptr || !to->isArithmetic() || !value) return std::nullopt;
        const Number& half = *findNumber(ComponentType::kFloat16);
        if (opcode == OpQuantizeToF16) {
            // Denormal numbers of f16 become zero.
            constexpr double kSmallestHalf = 0x1p-14;
            value = std::fabs(*value) < kSmallestHalf ? std::copysign(0.0, *value)
                                                      : valueOf(half, bitsOf(half, *value, false));
        }
        // Conversions to bfloat16 are by way of f32.
        if (to->fields.exponentBits == 8) value = static_cast<float>(*value);
        return bitsOf(*to, *value, module_.decoration(i.result, kSaturated).has_value());
    }

    const Number* formatOf(Id type) const {
        return types_.isFloat(type)
                   ? findNumber(NumberKind::kFloat, types_.width(type), types_.encoding(type))
                   : nullptr;
    }

    // The same bits, lower components first.
    std::optional<Id> bitcast(const Operation& i) {
        const Id from = module_.def(i.word(0)).type;
        const uint32_t width = types_.width(i.type), given = types_.width(from);
        if (width == 0) return std::nullopt;
        std::vector<uint64_t> bits(types_.components(i.type), 0);
        for (uint32_t c = 0; c < types_.components(from); ++c) {
            const std::optional<Id> part = partOf(i.word(0), c);
            const std::optional<uint64_t> value = part ? constantBits(*part, given) : std::nullopt;
            if (!value) return std::nullopt;
            const uint32_t step = std::min(width, given);
            for (uint32_t at = 0; at < given; at += step) {
                const uint32_t bit = c * given + at;
                if (bit / width >= bits.size()) return std::nullopt;
                bits[bit / width] |= lowest(*value >> at, step) << bit % width;
            }
        }
        std::vector<Id> parts;
        for (const uint64_t value : bits)
            parts.push_back(types_.constant(types_.scalarOf(i.type), value));
        return isVector(i.type) ? types_.constantComposite(i.type, parts) : parts[0];
    }

    // Of a scalar constant.
    std::optional<uint64_t> constantBits(Id id, uint32_t width) const {
        const Instruction& def = module_.def(id);
        if (def.opcode == OpConstantNull) return 0;
        if (def.opcode != OpConstant) return std::nullopt;
        const uint64_t high = width == 64 ? def.word(1) : 0;
        return lowest(def.word(0) | high << 32, width);
    }

    static uint64_t lowest(uint64_t value, uint32_t width) {
        return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
    }

    std::optional<double> floatValue(Id id, uint32_t c) {
        const std::optional<Id> part = partOf(id, c);
        const Instruction& def = module_.def(part.value_or(0));
        const Number* number = formatOf(def.type);
        if (number == nullptr) return std::nullopt;
        if (def.opcode == OpConstantNull || hasNoValue(def.opcode)) return 0.0;
        if (def.opcode != OpConstant) return std::nullopt;
        const uint64_t high = number->bits == 64 ? def.word(1) : 0;
        return valueOf(*number, def.word(0) | high << 32);
    }

    // The constant with an id, unless its value is not known yet.
    std::optional<Id> known(Id id) const {
        const bool isKnown = id != 0 && module_.def(id).opcode != OpSpecConstantOp;
        return isKnown ? std::optional(id) : std::nullopt;
    }

    // A member of a composite constant.
    std::optional<Id> member(Id composite, uint32_t index) {
        const Instruction& def = module_.def(composite);
        if (def.opcode != OpConstantNull && !hasNoValue(def.opcode)) {
            return known(constituentOf(def, index));
        }
        const Id type = memberType(module_, def.type, index);
        return type == 0 ? std::nullopt : std::optional(types_.constantNull(type));
    }

    // Component c of a vector constant; a scalar constant itself.
    std::optional<Id> partOf(Id id, uint32_t c) {
        return isVector(module_.def(id).type) ? member(id, c) : known(id);
    }

    Id scalarConstant(Id type, uint64_t bits) {
        return isBool(type) ? types_.constantBool((bits & 1) != 0) : types_.constant(type, bits);
    }

    // Until long vectors are lowered, those of one component are vectors, too.
    bool isVector(Id type) const { return module_.def(type).opcode == OpTypeVector; }

    bool isBool(Id type) const { return module_.def(type).opcode == OpTypeBool; }

    // The value of component c of a vector constant, or of a scalar constant.
    std::optional<Scalar> scalar(Id id, uint32_t c) {
        const Instruction& def = module_.def(id);
        const Id type = types_.scalarOf(def.type);
        if (def.opcode == OpConstantNull) return Scalar{0, isBool(type) ? 1 : types_.width(type)};
        if (isVector(def.type)) {
            const Id part = constituentOf(def, c);
            return isVector(module_.def(part).type) ? std::nullopt : scalar(part, 0);
        }
        if (def.opcode == OpConstantTrue) return Scalar{1, 1};
        if (def.opcode == OpConstantFalse) return Scalar{0, 1};
        const std::optional<uint64_t> value = module_.constantValue(id);
        return value ? std::optional(Scalar{*value, types_.width(type)}) : std::nullopt;
    }

    std::optional<Id> extract(const Operation& i) {
        std::optional<Id> id = i.word(0);
        for (size_t o = 1; id && o < i.operands.size(); ++o) id = member(*id, i.word(o));
        return id && module_.def(*id).type == i.type ? known(*id) : std::nullopt;
    }

    std::optional<Id> shuffle(const Operation& i) {
        const auto components = [&](Id vector) {
            return types_.components(module_.def(vector).type);
        };
        const uint32_t first = components(i.word(0));
        std::vector<Id> parts;
        for (size_t o = 2; o < i.operands.size(); ++o) {
            // 0xFFFFFFFF: the component is undefined.
            const uint32_t index = i.word(o) == ~0u ? 0 : i.word(o);
            if (index >= first + components(i.word(1))) return std::nullopt;
            const std::optional<Id> part =
                index < first ? member(i.word(0), index) : member(i.word(1), index - first);
            if (!part) return std::nullopt;
            parts.push_back(*part);
        }
        return parts.size() == types_.components(i.type)
                   ? std::optional(types_.constantComposite(i.type, parts))
                   : std::nullopt;
    }

    // `composite` with `object` at the indices from operand `first` on.
    std::optional<Id> insert(const Operation& i, Id object, Id composite, size_t first) {
        if (first == i.operands.size()) return known(object);
        constexpr uint64_t kMaxMembers = 4096;
        const Id type = module_.def(composite).type;
        const uint64_t count = memberCount(module_, type).value_or(0);
        if (i.word(first) >= count || count > kMaxMembers) return std::nullopt;
        std::vector<Id> parts;
        for (uint32_t m = 0; m < count; ++m) {
            std::optional<Id> part = member(composite, m);
            if (part && m == i.word(first)) part = insert(i, object, *part, first + 1);
            if (!part) return std::nullopt;
            parts.push_back(*part);
        }
        return types_.constantComposite(type, parts);
    }

    // A vector of conditions selects each component.
    std::optional<Id> select(const Operation& i) {
        const Id condition = i.word(0);
        const auto chosen = [&](uint32_t c) -> std::optional<Id> {
            const std::optional<Scalar> value = scalar(condition, c);
            return value ? std::optional(i.word(value->bits != 0 ? 1 : 2)) : std::nullopt;
        };
        if (!isVector(module_.def(condition).type)) {
            const std::optional<Id> whole = chosen(0);
            return whole ? known(*whole) : std::nullopt;
        }
        std::vector<Id> parts;
        for (uint32_t c = 0; c < types_.components(i.type); ++c) {
            const std::optional<Id> from = chosen(c);
            const std::optional<Id> part = from ? partOf(*from, c) : std::nullopt;
            if (!part) return std::nullopt;
            parts.push_back(*part);
        }
        return types_.constantComposite(i.type, parts);
    }

    TypeTable& types_;
    Module& module_;
    const MatrixLength& length_;
};

}  // namespace

bool foldSpecConstantOp(TypeTable& types, Instruction& instruction, const MatrixLength& length) {
    const std::optional<Id> folded =
        Folder(types, length)
            .fold({static_cast<spv::Op>(instruction.word(0)), instruction.type, instruction.result,
                   operandsBehind(instruction, 1)});
    if (!folded || *folded == instruction.result) return false;
    // Other instructions name this id: it becomes a copy of the constant.
    types.module().removeDecoration(instruction.result, kSaturated);
    const Instruction& constant = types.module().def(*folded);
    instruction.opcode = constant.opcode;
    instruction.operands = constant.operands;
    return true;
}

std::optional<Id> folded(TypeTable& types, const Instruction& i) {
    const Module& module = types.module();
    const bool areConstants = std::ranges::all_of(i.operands, [&](const Operand& o) {
        return !o.isId ||
               isOneOf(module.def(o.word).opcode, {OpConstant, OpConstantTrue, OpConstantFalse,
                                                   OpConstantNull, OpConstantComposite});
    });
    if (!areConstants || i.type == 0 || i.operands.empty()) return std::nullopt;
    return Folder(types, nullptr).fold({i.opcode, i.type, i.result, i.operands});
}

}  // namespace coopvk::rewrite
