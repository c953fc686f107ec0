// SPDX-License-Identifier: Apache-2.0
//
// Long vectors in memory with an explicit layout: their components lie without gaps.
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "longvector/types.hpp"

namespace coopvk::rewrite {

bool hasExplicitLayout(spv::StorageClass storage) {
    using enum spv::StorageClass;
    return isOneOf(storage, {StorageBuffer, Uniform, PushConstant, PhysicalStorageBuffer,
                             ShaderRecordBufferKHR});
}

bool isLaidOut(const Module& module, const Instruction& type) {
    if (isArrayType(type.opcode)) {
        return module.decoration(type.result, spv::Decoration::ArrayStride).has_value();
    }
    return type.opcode == OpTypeStruct &&
           module.memberDecoration(type.result, 0, spv::Decoration::Offset).has_value();
}

namespace {

class LongVectorLayouts {
 public:
    explicit LongVectorLayouts(LongVectorContext& context)
        : context_(context), module_(context.module) {}

    void changeTypes() {
        // By index: types are appended.
        InstructionList& globals = module_.section(Section::kGlobals);
        for (size_t g = 0; g < globals.size(); ++g) {
            Instruction& type = *globals[g];
            if (context_.inMemory.contains(type.result)) continue;
            if (type.opcode == OpTypePointer && hasExplicitLayout(storageOf(type))) {
                lieInMemory(type.operands[1]);
            } else if (isLaidOut(module_, type)) {
                const size_t members = isArrayType(type.opcode) ? 1 : type.operands.size();
                for (size_t m = 0; m < members; ++m) lieInMemory(type.operands[m]);
            }
        }
        context_.types.rescan();
    }

    // Pointers to variables of the module, and to those that the lowering declares, have one type.
    void shareFunctionPointers() {
        TypeReplacements replacements;
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->opcode != OpTypePointer || context_.lowered(i->word(1)) == nullptr ||
                storageOf(*i) != spv::StorageClass::Function) {
                continue;
            }
            const auto [shared, isNew] = context_.pointers.try_emplace(i->word(1), i->result);
            if (!isNew) replacements[i->result] = shared->second;
        }
        if (!replacements.empty()) replaceTypes(context_.types, replacements);
    }

    // Constituents of constants have the types of members.
    void changeConstants() {
        InstructionList& globals = module_.section(Section::kGlobals);
        for (size_t g = 0; g < globals.size(); ++g) {
            if (globals[g]->opcode != OpConstantComposite) continue;
            const Id type = globals[g]->type;
            for (size_t m = 0; m < globals[g]->operands.size(); ++m) {
                const Id wanted = memberType(module_, type, m);
                Operand& constituent = globals[g]->operands[m];
                const Instruction& value = module_.def(constituent.word);
                if (!context_.inMemory.contains(wanted) || value.type == wanted) continue;
                const Id id = module_.takeId();
                constituent.word = id;
                module_.append(Section::kGlobals,
                               makeInstruction(value.opcode, wanted, id, value.operands));
            }
        }
    }

    // A pointer type of the module may stand for pointers into memory with and without a layout.
    void changeChains() {
        module_.visitBlocks([&](Instruction& i) {
            if (!isAccessChain(i.opcode)) return;
            const Instruction& pointer = module_.def(i.type);
            const LongVector* vector = context_.vectorOrInMemory(pointer.word(1));
            if (vector == nullptr) return;
            const Id type = typeBehind(module_, chainStep(module_, i));
            if (type != 0 && type != pointer.word(1)) {
                i.type = context_.types.pointerType(storageOf(pointer), type);
            }
        });
    }

 private:
    void lieInMemory(Operand& type) {
        if (const LongVector* vector = context_.vector(type.word)) {
            type.word = context_.memoryType(*vector);
        }
    }

    LongVectorContext& context_;
    Module& module_;
};

}  // namespace

void layOutLongVectors(LongVectorContext& context) {
    Module& module = context.module;
    for (const auto& [id, vector] : context.vectors) {
        if (vector.isCooperative) continue;
        Instruction& type = *module.edit(id);
        type.opcode = OpTypeArray;
        type.operands = {idOperand(vector.component),
                         idOperand(context.types.constantU32(vector.count))};
    }
    context.types.rescan();
    LongVectorLayouts layouts(context);
    layouts.changeTypes();
    layouts.changeConstants();
    layouts.changeChains();
    layouts.shareFunctionPointers();
}

}  // namespace coopvk::rewrite
