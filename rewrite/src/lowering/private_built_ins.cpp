// SPDX-License-Identifier: Apache-2.0
#include "lowering/private_built_ins.hpp"

#include <algorithm>
#include <format>

#include "lowering/context.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kPrivate = spv::StorageClass::Private;

}  // namespace

std::vector<Id> variablesOf(const Module& module, spv::BuiltIn builtIn) {
    std::vector<Id> variables;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpVariable && module.decoration(i->result, spv::Decoration::BuiltIn) ==
                                           static_cast<uint32_t>(builtIn)) {
            variables.push_back(i->result);
        }
    }
    return variables;
}

std::optional<Error> makePrivate(TypeTable& types, const Users& users, Id variable,
                                 std::string_view name) {
    Module& module = types.module();
    Operands& entry = module.section(Section::kEntryPoints).front()->operands;
    entry.erase(std::ranges::remove(entry, idOperand(variable)).begin(), entry.end());
    module.removeDecoration(variable, spv::Decoration::BuiltIn);
    module.removeDecoration(variable, spv::Decoration::Flat);
    module.edit(variable)->operands[0] = literal(kPrivate);
    std::vector<Id> pending = {variable};
    while (!pending.empty()) {
        const Id pointer = pending.back();
        pending.pop_back();
        module.edit(pointer)->type = types.pointerType(kPrivate, module.pointee(pointer));
        for (const Usage& use : users.of(pointer)) {
            const spv::Op opcode = use.user->opcode;
            if (opcode == OpCopyObject || isAccessChain(opcode)) {
                pending.push_back(use.user->result);
            } else if (opcode != OpLoad && opcode != OpExtInst) {
                return errorAt(ErrorCode::kUnsupported, *use.user,
                               std::format("takes a pointer to {}", name));
            }
        }
    }
    return std::nullopt;
}

void insertAtStart(Module& module, InstructionList code) {
    const Id entry = module.section(Section::kEntryPoints).front()->word(1);
    const auto function =
        std::ranges::find(module.functions(), entry, [](const auto& one) { return one->id(); });
    InstructionList& body = (*function)->blocks.front()->body;
    const auto last = std::find_if(body.rbegin(), body.rend(),
                                   [](const InstructionPtr& i) { return i->opcode == OpVariable; });
    body.insert(last.base(), std::make_move_iterator(code.begin()),
                std::make_move_iterator(code.end()));
}

}  // namespace coopvk::rewrite
