// SPDX-License-Identifier: Apache-2.0
//
// Types with matrices in them, and their variants.
#pragma once

#include <format>
#include <map>

#include "ir/opcodes.hpp"
#include "ir/types.hpp"
#include "lowering/context.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

// Finds VK_NV_cooperative_matrix types inside other types. The leaves of a type are its matrices,
// in order: one for a matrix or an array of matrices, those of all members for a structure, those
// of the pointee for a pointer.

class MatrixLeaves {
    static constexpr size_t kMaxLeaves = 4096;  // a hostile module could have any number

 public:
    // Copies what it needs: later changes to the module's types do not matter.
    explicit MatrixLeaves(const Module& module) : module_(module) {
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

    // Set if a type has too many leaves.
    const std::optional<Error>& error() const { return error_; }

    // The matrix type of each leaf.
    std::span<const Id> of(Id type) const {
        const auto found = types_.find(type);
        if (found == types_.end()) return {};
        return found->second.leaves;
    }

    // What indices of OpCompositeExtract, OpAccessChain and so on select from a composite.
    struct Selected {
        Id type = 0;
        uint32_t firstLeaf = 0;
        bool isElement = false;  // inside the matrix that is leaf `firstLeaf`
    };
    Selected follow(Id composite, std::span<const Operand> indices) const {
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

    // The original declaration of a type with leaves; nullptr for other types.
    const Instruction* declaration(Id type) const {
        const auto found = types_.find(type);
        return found == types_.end() ? nullptr : &found->second.declaration;
    }

    Id pointee(Id pointerType) const {
        const Instruction* pointer = declaration(pointerType);
        return pointer == nullptr ? 0 : pointer->word(1);
    }

 private:
    struct Type {
        Instruction declaration;
        std::vector<Id> leaves;
    };
    std::vector<Id> find(const Instruction& declaration) const {
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

    const Module& module_;
    std::map<Id, Type> types_;
    std::optional<Error> error_;
};

using Roles = std::vector<Use>;

// Constants of which each use has its own role.
inline bool isMatrixConstant(const Instruction& definition) {
    return hasNoValue(definition.opcode) ||
           isOneOf(definition.opcode,
                   {OpConstantNull, OpConstantComposite, OpConstantCompositeReplicateEXT,
                    OpSpecConstantComposite, OpSpecConstantCompositeReplicateEXT});
}

// VK_NV_cooperative_matrix types, and types and constants that contain them, as variants with roles
// for their matrices. The first variant keeps the original's id; further ones are copies with its
// names and decorations.

class TypeVariants {
 public:
    TypeVariants(TypeTable& types, const MatrixLeaves& leaves) : types_(types), leaves_(leaves) {}

    // The variant of a type with these roles; the type itself if it has no matrices.
    Id type(Id original, std::span<const Use> roles) {
        const Instruction* declaration = leaves_.declaration(original);
        if (declaration == nullptr) return original;
        const Key key{original, Roles(roles.begin(), roles.end())};
        if (const auto found = variants_.find(key); found != variants_.end()) return found->second;

        const bool isMatrix = declaration->opcode == OpTypeCooperativeMatrixNV;
        Operands operands = typeOperands(*declaration, roles);
        return define(key, isMatrix ? OpTypeCooperativeMatrixKHR : declaration->opcode, 0,
                      std::move(operands));
    }

    // The original of a variant that type() returned.
    Id original(Id variant) const {
        const auto found = originals_.find(variant);
        return found == originals_.end() ? variant : found->second;
    }

    // The variant of a constant or OpUndef with these roles.
    Id constant(Id original, std::span<const Use> roles) {
        Module& module = types_.module();
        const Key key{original, Roles(roles.begin(), roles.end())};
        if (const auto found = variants_.find(key); found != variants_.end()) return found->second;
        const auto declared = constants_.try_emplace(original, module.def(original)).first;
        const Instruction declaration = declared->second;
        if (leaves_.of(declaration.type).empty()) return original;

        const Id newType = type(declaration.type, roles);
        return define(key, declaration.opcode, newType, constantOperands(declaration, roles));
    }

    // Makes variants of types and constants that no function uses: the module may name them.
    void finish() {
        Module& module = types_.module();
        std::vector<Id> constants;
        std::vector<Id> unusedTypes;
        for (const InstructionPtr& i : module.section(Section::kGlobals)) {
            if (isMatrixConstant(*i)) constants.push_back(i->result);
            if (leaves_.declaration(i->result) != nullptr) unusedTypes.push_back(i->result);
        }
        // Each use made a variant.
        const auto isUsed = [&](Id id) { return originals_.contains(id) || hasVariant(id); };
        for (Id id : constants) {
            const size_t count = leaves_.of(module.def(id).type).size();
            if (count != 0 && !isUsed(id)) constant(id, Roles(count, Use::kAccumulator));
        }
        for (Id id : unusedTypes) {
            if (!isUsed(id)) type(id, Roles(leaves_.of(id).size(), Use::kAccumulator));
        }
    }

 private:
    using Key = std::pair<Id, Roles>;

    bool hasVariant(Id original) const {
        const auto first = variants_.lower_bound(Key{original, {}});
        return first != variants_.end() && first->first.first == original;
    }

    // Adds a variant of key.first.
    Id define(const Key& key, spv::Op opcode, Id type, Operands operands) {
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

    Operands typeOperands(const Instruction& declaration, std::span<const Use> roles) {
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

    Operands constantOperands(const Instruction& declaration, std::span<const Use> roles) {
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

    TypeTable& types_;
    const MatrixLeaves& leaves_;
    std::map<Key, Id> variants_;
    std::map<Id, Id> originals_;           // by variant, for copies
    std::map<Id, Instruction> constants_;  // the original declarations
};

}  // namespace coopvk::rewrite
