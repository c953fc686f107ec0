// SPDX-License-Identifier: Apache-2.0
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "longvector/function.hpp"
#include "longvector/structures.hpp"

namespace coopvk::rewrite {

std::optional<Error> lowerLongVectors(LongVectorContext& context) {
    Module& module = context.module;
    const HeldTypes structures(context);
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpSpecConstantOp &&
            (context.vector(i->type) != nullptr || structures.isHeld(i->type))) {
            return errorAt(ErrorCode::kUnsupported, *i,
                           "a constant is computed in a way that is not known");
        }
    }
    holdStructures(context);
    layOutLongVectors(context);
    std::unordered_set<Id> gone;
    module.visitBlocks([&](const Instruction& i) {
        const bool isVariableOfVector =
            i.opcode == OpVariable && context.vector(module.pointee(i.result)) != nullptr;
        if (isVariableOfVector || context.vector(i.type) != nullptr) gone.insert(i.result);
    });
    for (const auto& function : module.functions()) {
        for (const InstructionPtr& i : function->parameters) {
            if (context.vector(i->type) != nullptr) gone.insert(i->result);
        }
        LongVectorFunction(context, *function).lower();
        if (context.error) return context.error;
    }
    forEachInstruction(module, [&](const Instruction* i) { gone.erase(i->result); });
    module.forget(gone);
    // Instructions use the components of constants. A whole one has a word for each.
    InstructionList* const globals[] = {&module.section(Section::kGlobals)};
    removeUnused(module, Users(module), globals, [&](const Instruction& i) {
        return i.opcode == OpConstantComposite && context.lowered(i.type) != nullptr;
    });
    context.types.rescan();
    return context.error;
}

}  // namespace coopvk::rewrite
