// SPDX-License-Identifier: Apache-2.0
#include "longvector/types.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/cooperative_types.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kLargestCoreVector = 4;
constexpr uint64_t kMostComponents = 16384;

bool isVectorType(const Instruction& i) {
    return i.opcode == OpTypeVector || i.opcode == OpTypeCooperativeVectorNV;
}

// Counts of cooperative vectors. Instructions take these beside other vectors of the same count,
// which are lowered as long vectors even if core SPIR-V has them.
std::set<uint32_t> countsOf(const Module& module, const std::set<Id>& types) {
    std::set<uint32_t> counts;
    for (const Id type : types) {
        counts.insert(componentCount(module, module.def(type)).value_or(0));
    }
    return counts;
}

// Types of two to four components are those of core SPIR-V, of which each is declared once.
void replaceShortVectors(LongVectorContext& context, const std::set<uint32_t>& cooperative) {
    Module& module = context.module;
    TypeReplacements replacements;
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        const Instruction& type = *globals[g];
        if (type.opcode != OpTypeCooperativeVectorNV) continue;
        const uint32_t count = componentCount(module, type).value_or(0);
        if (count < 2 || count > kLargestCoreVector || cooperative.contains(count)) continue;
        replacements[type.result] = context.types.vectorType(type.word(0), count);
    }
    if (!replacements.empty()) replaceTypes(context.types, replacements);
}

}  // namespace

std::optional<uint32_t> componentCount(const Module& module, const Instruction& type) {
    const uint64_t count = memberCount(module, type.result).value_or(0);
    if (count == 0 || count > kMostComponents) return std::nullopt;
    return static_cast<uint32_t>(count);
}

bool givesPair(const Instruction& i) {
    if (isOneOf(i.opcode, {OpIAddCarry, OpISubBorrow, OpUMulExtended, OpSMulExtended})) return true;
    return isExtInst(i.opcode) &&
           (i.word(1) == GLSLstd450ModfStruct || i.word(1) == GLSLstd450FrexpStruct);
}

Id LongVectorContext::memoryType(const LongVector& vector) {
    for (const auto& [array, type] : inMemory) {
        if (type == vector.id) return array;
    }
    const Id array = module.takeId();
    module.append(Section::kGlobals, makeInstruction(OpTypeArray, 0, array,
                                                     {idOperand(vector.component),
                                                      idOperand(types.constantU32(vector.count))}));
    module.decorate(array, spv::Decoration::ArrayStride, {types.width(vector.component) / 8});
    inMemory[array] = vector.id;
    return array;
}

std::optional<Error> declareLongVectors(LongVectorContext& context) {
    Module& module = context.module;
    const std::set<Id> cooperative = cooperativeVectorTypes(module);
    replaceShortVectors(context, countsOf(module, cooperative));
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& type = *globals[g];
        if (!isVectorType(type)) continue;
        const std::optional<uint32_t> count = componentCount(module, type);
        if (!count) return errorAt(ErrorCode::kUnsupported, type, kBadCount);
        if (*count > 1 && *count <= kLargestCoreVector && type.opcode == OpTypeVector) {
            continue;
        }
        const LongVector vector = {type.result, type.word(0), *count,
                                   cooperative.contains(type.result)};
        context.vectors.emplace(vector.id, vector);
        if (vector.isCooperative) continue;
        type.opcode = OpTypeVector;
        type.operands = {idOperand(vector.component), literal(vector.count)};
    }
    module.removeDeclarations(info(Extension::kExtShaderLongVector));
    context.types.rescan();
    return std::nullopt;
}

}  // namespace coopvk::rewrite
