// SPDX-License-Identifier: Apache-2.0
#include "unify/matrix_leaves.hpp"

#include <format>

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
        case spv::Op::OpTypeCooperativeMatrixNV:
            return {declaration.result};
        case spv::Op::OpTypeArray:
            return copy(declaration.word(0));
        case spv::Op::OpTypePointer:
            // Only these storage classes can have matrices (SPV_NV_cooperative_matrix, section
            // 2.16.1), and types of other pointers may be recursive.
            return isPrivate(storageOf(declaration)) ? copy(declaration.word(1))
                                                     : std::vector<Id>();
        case spv::Op::OpTypeStruct: {
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

MatrixLeaves::Place MatrixLeaves::follow(Id composite, std::span<const Operand> indices) const {
    Place place{composite, 0, false};
    for (const Operand& index : indices) {
        const Instruction* type = declaration(place.type);
        if (type == nullptr) return {};  // it has no matrices
        if (type->opcode == spv::Op::OpTypeCooperativeMatrixNV) {
            place.isElement = true;
            return place;
        }
        if (type->opcode != spv::Op::OpTypeStruct) {
            place.type = type->word(0);
            continue;
        }
        const uint64_t known =
            index.isId ? module_.constantValue(index.word).value_or(0) : index.word;
        if (known >= type->operands.size()) return {};
        const auto member = static_cast<size_t>(known);
        for (size_t before = 0; before < member; ++before) {
            place.firstLeaf += static_cast<uint32_t>(of(type->word(before)).size());
        }
        place.type = type->word(member);
    }
    return place;
}

}  // namespace coopvk::rewrite
