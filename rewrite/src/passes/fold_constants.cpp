// SPDX-License-Identifier: Apache-2.0
//
// Values of OpSpecConstantOp.
#include <cmath>

#include "ir/composites.hpp"
#include "ir/evaluate.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

class Folder {
 public:
    Folder(TypeTable& types, const MatrixLength& length) : types_(types), length_(length) {}

    // A constant with the instruction's value; 0 if it is not known.
    Id fold(const Instruction& i) {
        const auto opcode = static_cast<spv::Op>(i.word(0));
        if (opcode == OpCooperativeMatrixLengthKHR) {
            const std::optional<uint32_t> value = length_ ? length_(i.word(1)) : std::nullopt;
            return value ? types_.constant(i.type, *value) : 0;
        }
        if (opcode == OpCompositeExtract) return extract(i);
        if (opcode == OpSelect) return select(i);
        if (opcode == OpVectorShuffle) return shuffle(i);
        if (opcode == OpCompositeInsert) return insert(i, i.word(1), i.word(2), 3);
        const uint32_t count = types_.components(i.type);
        if (count == 0) return 0;
        std::vector<Id> parts;
        for (uint32_t c = 0; c < count; ++c) {
            const std::optional<uint64_t> bits = component(opcode, i, c);
            if (!bits) return 0;
            parts.push_back(scalarConstant(types_.scalarOf(i.type), *bits));
        }
        return isVector(i.type) ? types_.constantComposite(i.type, parts) : parts[0];
    }

 private:
    std::optional<uint64_t> component(spv::Op opcode, const Instruction& i, uint32_t c) {
        if (opcode == OpFConvert || opcode == OpQuantizeToF16) {
            return rounded(opcode, i, c);
        }
        const std::optional<Scalar> a = scalar(i.word(1), c);
        return a ? evaluate(opcode, *a, scalar(i.word(2), c)) : std::nullopt;
    }

    // Of floats of IEEE 754: other formats are for the lowering of numbers.
    std::optional<uint64_t> rounded(spv::Op opcode, const Instruction& i, uint32_t c) {
        const Number* to = ieeeFormat(i.type);
        const std::optional<double> value = floatValue(i.word(1), c);
        if (to == nullptr || !value) return std::nullopt;
        if (opcode == OpFConvert) return bitsOf(*to, *value, false);
        // Denormal numbers of f16 become zero.
        constexpr double kSmallestHalf = 0x1p-14;
        if (std::fabs(*value) < kSmallestHalf)
            return bitsOf(*to, std::copysign(0.0, *value), false);
        const Number& half = *findNumber(ComponentType::kFloat16);
        return bitsOf(*to, valueOf(half, bitsOf(half, *value, false)), false);
    }

    const Number* ieeeFormat(Id type) const {
        const Number* number = types_.isFloat(type) ? numberOf(types_, type) : nullptr;
        return number != nullptr && !number->encoding ? number : nullptr;
    }

    std::optional<double> floatValue(Id id, uint32_t c) {
        const Id part = partOf(id, c);
        const Instruction& def = types_.module().def(part);
        const Number* number = ieeeFormat(def.type);
        if (part == 0 || number == nullptr) return std::nullopt;
        if (def.opcode == OpConstantNull || hasNoValue(def.opcode)) return 0.0;
        if (def.opcode != OpConstant) return std::nullopt;
        const uint64_t high = number->bits == 64 ? def.word(1) : 0;
        return valueOf(*number, def.word(0) | high << 32);
    }

    // Component c of a vector constant; a scalar constant itself. 0: it is not known.
    Id partOf(Id id, uint32_t c) {
        const Instruction& def = types_.module().def(id);
        const Id part = isVector(def.type) ? constituent(id, c) : id;
        return part == 0 || isComputed(part) ? 0 : part;
    }

    bool isComputed(Id id) const { return types_.module().def(id).opcode == OpSpecConstantOp; }

    Id scalarConstant(Id type, uint64_t bits) {
        return isBool(type) ? types_.constantBool((bits & 1) != 0) : types_.constant(type, bits);
    }

    // Until long vectors are lowered, those of one component are vectors, too.
    bool isVector(Id type) const { return types_.module().def(type).opcode == OpTypeVector; }

    bool isBool(Id type) const { return types_.module().def(type).opcode == OpTypeBool; }

    // Component c of a vector constant; a scalar constant itself.
    std::optional<Scalar> scalar(Id id, uint32_t c) {
        const Instruction& def = types_.module().def(id);
        if (isVector(def.type)) {
            if (def.opcode == OpConstantNull) {
                return Scalar{0, isBool(types_.scalarOf(def.type)) ? 1 : types_.width(def.type)};
            }
            const Id part = constituentOf(def, c);
            return isVector(types_.module().def(part).type) ? std::nullopt : scalar(part, 0);
        }
        if (def.opcode == OpConstantTrue) return Scalar{1, 1};
        if (def.opcode == OpConstantFalse) return Scalar{0, 1};
        if (def.opcode == OpConstantNull && isBool(def.type)) return Scalar{0, 1};
        const std::optional<uint64_t> value = types_.module().constantValue(id);
        if (!value) return std::nullopt;
        return Scalar{*value, types_.width(def.type)};
    }

    Id extract(const Instruction& i) {
        Id id = i.word(1);
        for (size_t index = 2; index < i.operands.size(); ++index) {
            const Instruction& def = types_.module().def(id);
            if (def.opcode == OpConstantNull) return types_.constantNull(i.type);
            id = constituentOf(def, i.word(index));
        }
        const Instruction& def = types_.module().def(id);
        return def.type == i.type && def.opcode != OpSpecConstantOp ? id : 0;
    }

    // A constituent of a composite constant; 0 if it is not one.
    Id constituent(Id composite, uint32_t index) {
        const Instruction& def = types_.module().def(composite);
        const bool isNull = def.opcode == OpConstantNull || hasNoValue(def.opcode);
        if (!isNull) return constituentOf(def, index);
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
            // 0xFFFFFFFF: the component is undefined.
            const uint32_t index = i.word(o) == ~0u ? 0 : i.word(o);
            if (index >= first + components(i.word(2))) return 0;
            parts.push_back(index < first ? constituent(i.word(1), index)
                                          : constituent(i.word(2), index - first));
            if (parts.back() == 0 || isComputed(parts.back())) return 0;
        }
        return parts.size() == types_.components(i.type) ? types_.constantComposite(i.type, parts)
                                                         : 0;
    }

    // `composite` with `object` at the indices from operand `first` on.
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
            if (part == 0 || isComputed(part)) return 0;
            parts.push_back(part);
        }
        return types_.constantComposite(type, parts);
    }

    // A vector of conditions selects each component.
    Id select(const Instruction& i) {
        const Id condition = i.word(1);
        if (!isVector(types_.module().def(condition).type)) {
            const std::optional<Scalar> value = scalar(condition, 0);
            if (!value) return 0;
            const Id chosen = i.word(value->bits != 0 ? 2 : 3);
            return isComputed(chosen) ? 0 : chosen;
        }
        std::vector<Id> parts;
        for (uint32_t c = 0; c < types_.components(i.type); ++c) {
            const std::optional<Scalar> which = scalar(condition, c);
            if (!which) return 0;
            const Id part = partOf(i.word(which->bits != 0 ? 2 : 3), c);
            if (part == 0) return 0;
            parts.push_back(part);
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
    // Other instructions name this id: it becomes a copy of the constant.
    const Instruction& constant = types.module().def(folded);
    instruction.opcode = constant.opcode;
    instruction.operands = constant.operands;
    return true;
}

}  // namespace coopvk::rewrite
