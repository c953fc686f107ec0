// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers in memory (SPV_INTEL_int4, "Memory Layout").
#include <set>

#include "lowering/narrow_access.hpp"
#include "lowering/place.hpp"
#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

namespace {

struct Contents {
    bool loose = false;         // scalars, or vectors of an odd number
    std::set<uint32_t> widths;  // of the scalars that replace the vectors, in bits
    std::set<Id> visited;
};

void collect(const Int4Context& context, Id type, Contents& contents) {
    if (!contents.visited.insert(type).second) return;
    if (const Int4Type* int4 = context.type(type)) {
        if (int4->components % 2 != 0) contents.loose = true;
        contents.widths.insert(int4->laidOut != 0 ? 8 : context.types.width(int4->replacement));
        return;
    }
    const Instruction& def = context.module.def(type);
    switch (def.opcode) {
        case spv::Op::OpTypeStruct:
            for (uint32_t m = 0; m < def.operands.size(); ++m) {
                collect(context, def.word(m), contents);
            }
            break;
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
            collect(context, def.word(0), contents);
            break;
        default:
            break;
    }
}

void declareStorage(Int4Context& context, spv::StorageClass storage, uint32_t bits,
                    const Instruction& at) {
    const std::string_view missing = missingForAccess(context.target.device, storage, bits);
    if (!missing.empty()) {
        context.fail(ErrorCode::kUnsupported, at,
                     std::format("vectors of {} 4-bit integers here need {}", bits / 4, missing));
    }
    declareAccess(context.module, storage, bits);
}

void refuseUnfit(Int4Context& context, const Contents& contents, const Instruction& at) {
    if (contents.loose) {
        context.fail(ErrorCode::kInvalidModule, at,
                     "outside the Private and Function storage classes 4-bit integers must be "
                     "in vectors with an even Component Count (SPV_INTEL_int4)");
    }
}

}  // namespace

void checkInt4Access(Int4Context& context, const Instruction& access) {
    const bool load = access.opcode == spv::Op::OpLoad;
    if (!load && access.opcode != spv::Op::OpStore) return;
    const Module& module = context.module;
    const Instruction& pointer = module.def(module.def(access.word(0)).type);
    if (isPrivate(storageOf(pointer))) return;
    Contents contents;
    collect(context, load ? access.type : module.def(access.word(1)).type, contents);
    refuseUnfit(context, contents, access);
    if (pointer.opcode != spv::Op::OpTypeUntypedPointerKHR) return;
    for (const uint32_t bits : contents.widths) {
        declareStorage(context, storageOf(pointer), bits, access);
    }
}

void checkInt4Memory(Int4Context& context) {
    if (context.int4.empty()) return;
    Module& module = context.module;
    if (!context.target.device.shaderInt8) {
        context.fail(ErrorCode::kUnsupported, *module.section(Section::kGlobals).front(),
                     "4-bit integers need shaderInt8");
        return;
    }
    module.addCapability(spv::Capability::Int8);
    for (const auto& [id, type] : context.int4) {
        if (context.types.width(type.replacement) == 16) {
            module.addCapability(spv::Capability::Int16);
        }
    }
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const bool pointer = i->opcode == spv::Op::OpTypePointer;
        if ((!isVariable(i->opcode) && !pointer) || isPrivate(storageOf(*i))) continue;
        const Id type = pointer ? i->word(1) : contentsOf(module, i->result);
        // Physical memory has no variables; a pointer to a scalar may point into a vector.
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

}  // namespace coopvk::rewrite
