// SPDX-License-Identifier: Apache-2.0
//
// Types with matrices in them, and their variants.
#include <format>

#include "unify/nv_matrix.hpp"

namespace coopvk::rewrite {

namespace {

// A hostile module could have any number with a few nested structures.
constexpr size_t kMaxLeaves = 4096;

}  // namespace

MatrixLeaves::MatrixLeaves(const Module& module) : module_(module) {
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        std::vector<Id> leaves = find(*i);
        if (leaves.empty()) continue;
        if (leaves.size() > kMaxLeaves) {
            error_ = Error{ErrorCode::kUnsupported,
                           std::format("type %{} holds more than {} cooperative matrices",
                                       i->result, kMaxLeaves)};
            return;
        }
        types_.emplace(i->result, Type{*i, std::move(leaves)});
    }
}

std::vector<Id> MatrixLeaves::find(const Instruction& declaration) const {
    const auto copy = [&](Id type) {
        const std::span<const Id> leaves = of(type);
        return std::vector<Id>(leaves.begin(), leaves.end());
    };
    switch (declaration.opcode) {
        case OpTypeCooperativeMatrixNV:
            return {declaration.result};
        case OpTypeArray:
            return copy(declaration.word(0));
        case OpTypePointer:
            // Only these storage classes can have matrices (SPV_NV_cooperative_matrix, section
            // 2.16.1), and types of other pointers may be recursive.
            return isPrivate(storageOf(declaration)) ? copy(declaration.word(1))
                                                     : std::vector<Id>();
        case OpTypeStruct: {
            std::vector<Id> leaves;
            for (const Operand& member : declaration.operands) {
                const std::span<const Id> inner = of(member.word);
                leaves.insert(leaves.end(), inner.begin(), inner.end());
            }
            return leaves;
        }
        default:
            return {};
    }
}

std::span<const Id> MatrixLeaves::of(Id type) const {
    const auto found = types_.find(type);
    if (found == types_.end()) return {};
    return found->second.leaves;
}

const Instruction* MatrixLeaves::declaration(Id type) const {
    const auto found = types_.find(type);
    return found == types_.end() ? nullptr : &found->second.declaration;
}

Id MatrixLeaves::pointee(Id pointerType) const {
    const Instruction* pointer = declaration(pointerType);
    return pointer == nullptr ? 0 : pointer->word(1);
}

MatrixLeaves::Selected MatrixLeaves::follow(Id composite, std::span<const Operand> indices) const {
    Selected selected{composite, 0, false};
    for (const Operand& index : indices) {
        const Instruction* type = declaration(selected.type);
        if (type == nullptr) return {};  // it has no matrices
        if (type->opcode == OpTypeCooperativeMatrixNV) {
            selected.isElement = true;
            return selected;
        }
        if (type->opcode != OpTypeStruct) {
            selected.type = type->word(0);
            continue;
        }
        const uint64_t known =
            index.isId ? module_.constantValue(index.word).value_or(0) : index.word;
        if (known >= type->operands.size()) return {};
        const auto member = static_cast<size_t>(known);
        for (size_t before = 0; before < member; ++before) {
            selected.firstLeaf += static_cast<uint32_t>(of(type->word(before)).size());
        }
        selected.type = type->word(member);
    }
    return selected;
}

namespace {

Roles allAccumulators(size_t count) { return Roles(count, Use::kAccumulator); }

}  // namespace

Id TypeVariants::type(Id original, std::span<const Use> roles) {
    const Instruction* declaration = leaves_.declaration(original);
    if (declaration == nullptr) return original;
    const Key key{original, Roles(roles.begin(), roles.end())};
    if (const auto found = variants_.find(key); found != variants_.end()) return found->second;

    const bool isMatrix = declaration->opcode == OpTypeCooperativeMatrixNV;
    Operands operands = typeOperands(*declaration, roles);
    return define(key, isMatrix ? OpTypeCooperativeMatrixKHR : declaration->opcode, 0,
                  std::move(operands));
}

bool TypeVariants::hasVariant(Id original) const {
    const auto first = variants_.lower_bound(Key{original, {}});
    return first != variants_.end() && first->first.first == original;
}

Id TypeVariants::define(const Key& key, spv::Op opcode, Id type, Operands operands) {
    Module& module = types_.module();
    const Id original = key.first;
    Id variant = original;
    if (hasVariant(original)) {
        variant = module.takeId();
        module.append(Section::kGlobals,
                      makeInstruction(opcode, type, variant, std::move(operands)));
        module.copyNamesAndDecorations(original, variant);
        originals_.emplace(variant, original);
    } else {
        Instruction& declaration = *module.edit(original);
        declaration.opcode = opcode;
        declaration.type = type;
        declaration.operands = std::move(operands);
    }
    variants_.emplace(key, variant);
    return variant;
}

Id TypeVariants::original(Id variant) const {
    const auto found = originals_.find(variant);
    return found == originals_.end() ? variant : found->second;
}

Operands TypeVariants::typeOperands(const Instruction& declaration, std::span<const Use> roles) {
    Operands operands = declaration.operands;
    if (declaration.opcode == OpTypeCooperativeMatrixNV) {
        operands.push_back(idOperand(types_.constantU32(static_cast<uint32_t>(roles[0]))));
        return operands;
    }
    for (Operand& operand : operands) {
        if (!operand.isId) continue;
        const size_t count = leaves_.of(operand.word).size();
        operand.word = type(operand.word, roles.first(count));
        // Structures have several inner types, arrays and pointers one.
        if (declaration.opcode == OpTypeStruct) roles = roles.subspan(count);
        if (declaration.opcode == OpTypeArray) break;  // the length
    }
    return operands;
}

Id TypeVariants::constant(Id original, std::span<const Use> roles) {
    Module& module = types_.module();
    const Key key{original, Roles(roles.begin(), roles.end())};
    if (const auto found = variants_.find(key); found != variants_.end()) return found->second;
    const auto declared = constants_.try_emplace(original, module.def(original)).first;
    const Instruction declaration = declared->second;
    if (leaves_.of(declaration.type).empty()) return original;

    const Id newType = type(declaration.type, roles);
    return define(key, declaration.opcode, newType, constantOperands(declaration, roles));
}

Operands TypeVariants::constantOperands(const Instruction& declaration,
                                        std::span<const Use> roles) {
    Operands operands = declaration.operands;
    const Instruction* type = leaves_.declaration(declaration.type);
    if (type == nullptr || type->opcode == OpTypeCooperativeMatrixNV) return operands;
    for (Operand& operand : operands) {
        const auto before = constants_.find(operand.word);
        const Id constituentType = before != constants_.end()
                                       ? before->second.type
                                       : types_.module().def(operand.word).type;
        const size_t count = leaves_.of(constituentType).size();
        if (count == 0 || count > roles.size()) continue;
        operand.word = constant(operand.word, roles.first(count));
        if (type->opcode == OpTypeStruct) roles = roles.subspan(count);
    }
    return operands;
}

void TypeVariants::finish() {
    Module& module = types_.module();
    std::vector<Id> constants;
    std::vector<Id> unusedTypes;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (RoleInference::isConstant(*i)) constants.push_back(i->result);
        if (leaves_.declaration(i->result) != nullptr) unusedTypes.push_back(i->result);
    }
    // Each use made a variant.
    const auto isUsed = [&](Id id) { return originals_.contains(id) || hasVariant(id); };
    for (Id id : constants) {
        const size_t count = leaves_.of(module.def(id).type).size();
        if (count != 0 && !isUsed(id)) constant(id, allAccumulators(count));
    }
    for (Id id : unusedTypes) {
        if (!isUsed(id)) type(id, allAccumulators(leaves_.of(id).size()));
    }
}

}  // namespace coopvk::rewrite
