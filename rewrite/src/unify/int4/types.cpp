// SPDX-License-Identifier: Apache-2.0
//
// Finds 4-bit types, checks what may use them, and replaces them (SPV_INTEL_int4).

#include "unify/int4/types.hpp"

#include <algorithm>
#include <set>

#include "ir/types.hpp"
#include "lowering/place.hpp"

namespace coopvk::rewrite {

namespace {

struct Contents {
    bool hasOddCount = false;   // has scalars, or vectors of three
    std::set<uint32_t> widths;  // of the scalars in memory that replace the vectors, in bits
    std::set<Id> visited;
};

void collect(const Int4Context& context, Id type, Contents& contents) {
    if (!contents.visited.insert(type).second) return;
    if (const Int4Type* int4 = context.type(type)) {
        if (int4->components % 2 != 0) contents.hasOddCount = true;
        contents.widths.insert(int4->laidOut != 0 ? 8 : context.types.width(int4->replacement));
        return;
    }
    const Instruction& def = context.module.def(type);
    if (isArrayType(def.opcode)) collect(context, def.word(0), contents);
    if (def.opcode != OpTypeStruct) return;
    for (const Operand& member : def.operands) collect(context, member.word, contents);
}

void declareStorage(Int4Context& context, spv::StorageClass storage, uint32_t bits,
                    const Instruction& at) {
    const std::string_view missing = missingForAccess(context.target.device, storage, bits);
    if (!missing.empty()) {
        context.unsupported(
            at, std::format("vectors of {} 4-bit integers here need {}", bits / 4, missing));
    }
    declareAccess(context.module, storage, bits);
}

void refuseUnfit(Int4Context& context, const Contents& contents, const Instruction& at) {
    if (contents.hasOddCount) {
        context.invalid(at,
                        "outside the Private and Function storage classes 4-bit integers must be "
                        "in vectors with an even Component Count (SPV_INTEL_int4)");
    }
}

}  // namespace

void checkInt4Access(Int4Context& context, const Instruction& access) {
    const bool load = access.opcode == OpLoad;
    if (!load && access.opcode != OpStore) return;
    const Module& module = context.module;
    const Instruction& pointer = module.def(module.def(access.word(0)).type);
    if (isPrivate(storageOf(pointer))) return;
    Contents contents;
    collect(context, load ? access.type : module.def(access.word(1)).type, contents);
    refuseUnfit(context, contents, access);
    if (pointer.opcode != OpTypeUntypedPointerKHR) return;
    for (const uint32_t bits : contents.widths) {
        declareStorage(context, storageOf(pointer), bits, access);
    }
}

void checkInt4Memory(Int4Context& context) {
    if (context.int4.empty()) return;
    Module& module = context.module;
    if (!context.target.device.shaderInt8) {
        return context.unsupported(*module.section(Section::kGlobals).front(),
                                   "4-bit integers need shaderInt8");
    }
    module.addCapability(spv::Capability::Int8);
    for (const auto& [id, type] : context.int4) {
        if (context.types.width(type.replacement) == 16) {
            module.addCapability(spv::Capability::Int16);
        }
    }
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const bool pointer = i->opcode == OpTypePointer;
        if ((!isVariable(i->opcode) && !pointer) || isPrivate(storageOf(*i))) continue;
        const Id type = pointer ? i->word(1) : contentsOf(module, i->result);
        // Pointer types matter for physical memory only, which has no variables. A pointer to a
        // scalar may point to a component of a vector.
        const Int4Type* int4 = pointer ? context.type(type) : nullptr;
        const bool scalar = int4 != nullptr && int4->components == 1;
        if (pointer && (scalar || storageOf(*i) != spv::StorageClass::PhysicalStorageBuffer))
            continue;
        Contents contents;
        collect(context, type, contents);
        refuseUnfit(context, contents, *i);
        for (const uint32_t bits : contents.widths)
            declareStorage(context, storageOf(*i), bits, *i);
        if (context.error) return;
    }
}

void findInt4Types(Int4Context& context) {
    Module& module = context.module;
    for (const InstructionPtr& global : module.section(Section::kGlobals)) {
        const Instruction& i = *global;
        if (i.opcode == OpTypeInt && i.word(0) == 4) {
            const bool isSigned = i.word(1) != 0;
            context.int4[i.result] = {i.result, isSigned, 1};
        } else if (i.opcode == OpTypeVector) {
            const Int4Type* scalar = context.type(i.word(0));
            if (scalar == nullptr) {
                if (i.word(1) <= 4) continue;
                return context.unsupported(
                    i, "vectors of more than four components are for 4-bit integers only");
            }
            constexpr uint32_t kCounts[] = {2, 3, 4, 8, 16};
            if (std::ranges::find(kCounts, i.word(1)) == std::end(kCounts)) {
                return context.invalid(i, "a vector has 2, 3, 4, 8 or 16 components");
            }
            context.int4[i.result] = {i.result, scalar->isSigned, i.word(1)};
        } else if (context.isMatrix(i.result) &&
                   !module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL)) {
            return context.invalid(i,
                                   "matrices of 4-bit components need the capability "
                                   "Int4CooperativeMatrixINTEL");
        }
    }
}

namespace {

// Instructions that may take 4-bit integers (SPV_INTEL_int4, "Validation Rules"), among them all
// "function instructions".
bool mayTakeInt4(const Module& module, const Instruction& i) {
    return movesBits(module, i) || (isConversion(i.opcode) && i.opcode != OpFConvert) ||
           isOneOf(i.opcode, {OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
                              OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixLengthKHR,
                              OpCooperativeMatrixPerElementOpNV});
}

bool touchesInt4(const Int4Context& context, const Instruction& i) {
    const auto isInt4 = [&](Id type) {
        return context.type(type) != nullptr || context.isMatrix(type);
    };
    return isInt4(i.type) || std::ranges::any_of(i.operands, [&](const Operand& operand) {
               return operand.isId && isInt4(context.module.def(operand.word).type);
           });
}

void checkPointers(Int4Context& context, const Instruction& i) {
    for (const Operand& operand : i.operands) {
        if (!operand.isId || !context.componentPointers.contains(operand.word)) continue;
        context.unsupported(
            i,
            "a pointer to a component of a vector of 4-bit integers is used for more "
            "than loads, stores and copies: the component has no address, since two "
            "components share a byte; and with logical addressing function arguments "
            "must be pointers to whole variables (SPIR-V specification, section 2.16.1)");
    }
}

// Replaces all 4-bit types except component types of matrices.
void replaceInt4Types(Int4Context& context) {
    TypeReplacements replacements;
    for (const auto& [id, type] : context.int4) replacements[id] = type.replacement;
    replaceTypes(context.types, replacements,
                 [](const Instruction& i) { return i.opcode == OpTypeCooperativeMatrixKHR; });
}

}  // namespace

void Int4Context::checkKept(const Instruction& i) {
    if (!mayTakeInt4(module, i) && touchesInt4(*this, i)) {
        fail(ErrorCode::kInvalidModule, i,
             "not one of the instructions that may take 4-bit integers (SPV_INTEL_int4)");
        return;
    }
    checkInt4Access(*this, i);
    checkPointers(*this, i);
}

std::optional<Error> unifyInt4(Int4Context& context) {
    Module& module = context.module;
    findInt4Types(context);
    if (context.error) return context.error;
    chooseInt4Replacements(context);
    if (context.error) return context.error;
    checkInt4Memory(context);
    if (context.error) return context.error;
    Vector16Memory memory(context);
    memory.checkPointers();
    OpcodeTable<Int4Function> table;
    addInt4Accesses(table);
    addInt4Composites(table);
    addInt4Conversions(table);
    table.lowerAll(context, memory);
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size() && !context.error; ++g) {
        if (globals[g]->opcode != OpVariable) lowerInt4Constant(context, *globals[g]);
    }
    if (context.error) return context.error;
    memory.retypePointers();
    // Accesses to components have taken the place of their pointers.
    std::unordered_set<Id> pointers;
    for (const auto& [id, pointer] : context.componentPointers) pointers.insert(id);
    module.forget(pointers);
    replaceInt4Types(context);
    module.removeCapability(spv::Capability::Int4TypeINTEL);
    module.removeCapability(spv::Capability::Vector16);
    module.removeExtension("SPV_INTEL_int4");
    const auto isMatrix = [](const InstructionPtr& i) {
        return i->opcode == OpTypeCooperativeMatrixKHR;
    };
    const auto isInt4Matrix = [&](const InstructionPtr& i) { return context.isMatrix(i->result); };
    // Int4CooperativeMatrixINTEL declares CooperativeMatrixKHR implicitly.
    if (std::ranges::any_of(globals, isMatrix)) {
        module.addCapability(spv::Capability::CooperativeMatrixKHR);
    }
    if (std::ranges::none_of(globals, isInt4Matrix)) {
        module.removeCapability(spv::Capability::Int4CooperativeMatrixINTEL);
    }
    return context.error;
}

}  // namespace coopvk::rewrite
