// SPDX-License-Identifier: Apache-2.0
#include <format>

#include "ir/module.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kGlobals = static_cast<size_t>(Section::kGlobals);

// Passes follow types recursively. The universal limit on structures is 255 (SPIR-V specification,
// section 2.17); arrays may be between them.
constexpr uint32_t kMaxNesting = 512;

// The first id that an instruction names and for which `isWrong` is true.
template <typename IsWrong>
std::optional<Id> firstWrong(const Instruction& instruction, IsWrong isWrong) {
    if (instruction.type != 0 && isWrong(instruction.type)) return instruction.type;
    for (const Operand& operand : instruction.operands) {
        if (operand.isId && operand.word != 0 && isWrong(operand.word)) return operand.word;
    }
    return std::nullopt;
}

std::optional<Id> firstUndefined(const Module& module) {
    std::optional<Id> found;
    const auto isUndefined = [&](Id id) { return module.def(id).result == 0; };
    forEachInstruction(module, [&](const Instruction* i) {
        if (!found && i != nullptr) found = firstWrong(*i, isUndefined);
    });
    return found;
}

// Types and constants must follow all that they consist of, so none can contain itself. Only
// pointers may be declared forward. OpExtInst at module scope is debug information, which may name
// later ids.
std::optional<std::string> orderProblem(const Module& module) {
    std::vector<bool> known(module.bound() + 1u, false);
    std::vector<Id> forward;
    for (size_t s = 0; s < kGlobals; ++s) {
        for (const InstructionPtr& i : module.section(static_cast<Section>(s))) {
            known[i->result] = true;
        }
    }
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpTypeForwardPointer && known.size() > i->word(0)) {
            known[i->word(0)] = true;
            forward.push_back(i->word(0));
            continue;
        }
        if (!isExtInst(i->opcode)) {
            if (const auto id = firstWrong(*i, [&](Id used) { return !known[used]; })) {
                return std::format("id %{} is used before it is defined", *id);
            }
        }
        known[i->result] = true;
    }
    for (const Id pointer : forward) {
        if (module.def(pointer).opcode == OpTypePointer) continue;
        return std::format("id %{} is declared as a pointer but is not one", pointer);
    }
    return std::nullopt;
}

std::optional<std::string> nestingProblem(const Module& module) {
    std::vector<uint32_t> depths(module.bound() + 1u, 0);
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->type != 0) continue;
        uint32_t& depth = depths[i->result];
        for (const Operand& operand : i->operands) {
            if (operand.isId) depth = std::max(depth, depths[operand.word] + 1);
        }
        if (depth > kMaxNesting) {
            return std::format("type %{} nests deeper than {}", i->result, kMaxNesting);
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> idProblem(const Module& module) {
    if (const auto id = firstUndefined(module)) return std::format("id %{} is not defined", *id);
    if (std::optional<std::string> problem = orderProblem(module)) return problem;
    return nestingProblem(module);
}

}  // namespace coopvk::rewrite
