// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <format>
#include <utility>

#include "ir/composites.hpp"
#include "ir/evaluate.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

uint64_t littleEndian(std::span<const std::byte> data) {
    uint64_t value = 0;
    for (size_t i = 0; i < data.size(); ++i) value |= static_cast<uint64_t>(data[i]) << 8 * i;
    return value;
}

bool isScalarSpecConstant(spv::Op opcode) {
    return opcode == spv::Op::OpSpecConstant || opcode == spv::Op::OpSpecConstantTrue ||
           opcode == spv::Op::OpSpecConstantFalse;
}

std::optional<Error> setValue(TypeTable& types, Instruction& i, const SpecializationEntry& entry) {
    const bool isBool = i.opcode != spv::Op::OpSpecConstant;
    const size_t size = isBool ? 4 : (types.width(i.type) + 7) / 8;
    if (entry.data.size() != size) {
        return Error{ErrorCode::kInvalidArgument,
                     std::format("specialization constant {} (id %{}) takes {} bytes, got {}",
                                 entry.constantId, i.result, size, entry.data.size())};
    }
    const uint64_t value = littleEndian(entry.data);
    if (isBool) {
        i.opcode = value != 0 ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse;
    } else {
        i.operands = types.module().def(types.constant(i.type, value)).operands;
    }
    return std::nullopt;
}

// The opcode of the constant that replaces a specialization constant; other opcodes unchanged.
spv::Op frozen(spv::Op opcode) {
    using enum spv::Op;
    constexpr std::pair<spv::Op, spv::Op> kFrozen[] = {
        {OpSpecConstant, OpConstant},
        {OpSpecConstantTrue, OpConstantTrue},
        {OpSpecConstantFalse, OpConstantFalse},
        {OpSpecConstantComposite, OpConstantComposite},
        {OpSpecConstantCompositeReplicateEXT, OpConstantCompositeReplicateEXT}};
    for (const auto& [spec, constant] : kFrozen) {
        if (opcode == spec) return constant;
    }
    return opcode;
}

bool isFrozen(const Instruction& constant) {
    return constant.opcode != spv::Op::OpSpecConstantOp &&
           frozen(constant.opcode) == constant.opcode;
}

}  // namespace

std::optional<Error> specialise(TypeTable& types, std::span<const SpecializationEntry> entries) {
    Module& module = types.module();
    // By index: setting a value may append constants to the section.
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& i = *globals[g];
        if (!isScalarSpecConstant(i.opcode)) continue;
        const std::optional<uint32_t> specId = module.decoration(i.result, spv::Decoration::SpecId);
        for (const SpecializationEntry& entry : entries) {
            if (entry.constantId != specId) continue;
            if (std::optional<Error> error = setValue(types, i, entry)) return error;
        }
        i.opcode = frozen(i.opcode);
    }
    module.removeDecorations(
        [](const Instruction& i) { return decorates(i, spv::Decoration::SpecId); });
    return std::nullopt;
}

std::optional<Error> checkArrayLengths(const Module& module) {
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode != spv::Op::OpTypeArray) continue;
        const std::optional<uint64_t> length = module.constantValue(i->word(1));
        if (!length || static_cast<int64_t>(*length) > 0) continue;
        return Error{ErrorCode::kInvalidModule,
                     std::format("array type %{}: Length must be at least 1", i->result)};
    }
    return std::nullopt;
}

void foldSpecConstants(TypeTable& types, const MatrixLength& length) {
    Module& module = types.module();
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& i = *globals[g];
        if (i.opcode == spv::Op::OpSpecConstantOp) {
            foldSpecConstantOp(types, i, length);
        } else if (std::ranges::all_of(i.operands, [&](const Operand& operand) {
                       return isFrozen(module.def(operand.word));
                   })) {
            i.opcode = frozen(i.opcode);
        }
    }
}

namespace {

class Folder {
 public:
    Folder(TypeTable& types, const MatrixLength& length) : types_(types), length_(length) {}

    // A constant with the instruction's value; 0 if it is not known.
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
        return a ? evaluate(opcode, *a, scalar(i.word(2), c)) : std::nullopt;
    }

    Id scalarConstant(Id type, uint64_t bits) {
        return isBool(type) ? types_.constantBool((bits & 1) != 0) : types_.constant(type, bits);
    }

    bool isBool(Id type) const { return types_.module().def(type).opcode == spv::Op::OpTypeBool; }

    // Component c of a vector constant; a scalar constant itself.
    std::optional<Scalar> scalar(Id id, uint32_t c) {
        const Instruction& def = types_.module().def(id);
        if (types_.components(def.type) > 1) {
            if (def.opcode == spv::Op::OpConstantNull) {
                return Scalar{0, isBool(types_.scalarOf(def.type)) ? 1 : types_.width(def.type)};
            }
            const Id part = constituentOf(def, c);
            const bool isScalar = types_.components(types_.module().def(part).type) == 1;
            return isScalar ? scalar(part, 0) : std::nullopt;
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
            id = constituentOf(def, i.word(index));
        }
        const Instruction& def = types_.module().def(id);
        return def.type == i.type && def.opcode != spv::Op::OpSpecConstantOp ? id : 0;
    }

    // A constituent of a composite constant; 0 if it is not one.
    Id constituent(Id composite, uint32_t index) {
        const Instruction& def = types_.module().def(composite);
        if (def.opcode != spv::Op::OpConstantNull) return constituentOf(def, index);
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
            if (parts.back() == 0) return 0;
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
            if (part == 0 || types_.module().def(part).opcode == spv::Op::OpSpecConstantOp) {
                return 0;
            }
            parts.push_back(part);
        }
        return types_.constantComposite(type, parts);
    }

    // A vector of conditions selects each component.
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
    // Other instructions name this id: it becomes a copy of the constant.
    const Instruction& constant = types.module().def(folded);
    instruction.opcode = constant.opcode;
    instruction.operands = constant.operands;
    return true;
}

}  // namespace coopvk::rewrite
