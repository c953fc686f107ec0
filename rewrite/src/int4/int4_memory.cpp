// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers in memory (SPV_INTEL_int4, "Memory Layout").
#include <set>

#include "int4/int4_types.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

struct Contents {
    bool loose = false;         // scalars, or vectors of an odd number
    std::set<uint32_t> widths;  // of what stands for the vectors, in bits
    std::set<Id> visited;
};

void collect(const Int4Context& context, Id type, Contents& contents) {
    if (!contents.visited.insert(type).second) return;
    if (const Int4Type* int4 = context.type(type)) {
        if (int4->components % 2 != 0) contents.loose = true;
        contents.widths.insert(int4->laidOut != 0 ? 8 : context.types.width(int4->stand));
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

struct StorageRow {
    spv::StorageClass storage;
    uint32_t bits;
    spv::Capability capability;
    bool DeviceTraits::* feature;
    std::string_view featureName;
};

constexpr StorageRow kStorage[] = {
    {spv::StorageClass::StorageBuffer, 8, spv::Capability::StorageBuffer8BitAccess,
     &DeviceTraits::storageBuffer8BitAccess, "storageBuffer8BitAccess"},
    {spv::StorageClass::StorageBuffer, 16, spv::Capability::StorageBuffer16BitAccess,
     &DeviceTraits::storageBuffer16BitAccess, "storageBuffer16BitAccess"},
    {spv::StorageClass::PhysicalStorageBuffer, 8, spv::Capability::StorageBuffer8BitAccess,
     &DeviceTraits::storageBuffer8BitAccess, "storageBuffer8BitAccess"},
    {spv::StorageClass::PhysicalStorageBuffer, 16, spv::Capability::StorageBuffer16BitAccess,
     &DeviceTraits::storageBuffer16BitAccess, "storageBuffer16BitAccess"},
    {spv::StorageClass::Uniform, 8, spv::Capability::UniformAndStorageBuffer8BitAccess,
     &DeviceTraits::uniformAndStorageBuffer8BitAccess, "uniformAndStorageBuffer8BitAccess"},
    {spv::StorageClass::Uniform, 16, spv::Capability::UniformAndStorageBuffer16BitAccess,
     &DeviceTraits::uniformAndStorageBuffer16BitAccess, "uniformAndStorageBuffer16BitAccess"},
    {spv::StorageClass::PushConstant, 8, spv::Capability::StoragePushConstant8,
     &DeviceTraits::storagePushConstant8, "storagePushConstant8"},
    {spv::StorageClass::PushConstant, 16, spv::Capability::StoragePushConstant16,
     &DeviceTraits::storagePushConstant16, "storagePushConstant16"},
};

void declareStorage(Int4Context& context, spv::StorageClass storage, uint32_t bits,
                    const Instruction& at) {
    for (const StorageRow& row : kStorage) {
        if (row.storage != storage || row.bits != bits) continue;
        if (!(context.target.device.*row.feature)) {
            context.fail(ErrorCode::kUnsupported, at,
                         std::format("vectors of {} 4-bit integers here need {}", bits / 4,
                                     row.featureName));
        }
        context.module.addCapability(row.capability);
        if (bits == 8 && context.module.version() < 0x00010500) {
            context.module.addExtension("SPV_KHR_8bit_storage");
        }
        if (bits == 16 && context.module.version() < 0x00010300) {
            context.module.addExtension("SPV_KHR_16bit_storage");
        }
    }
    // A block in Workgroup memory has an explicit layout.
    if (storage == spv::StorageClass::Workgroup &&
        context.module.hasCapability(spv::Capability::WorkgroupMemoryExplicitLayoutKHR)) {
        if (bits == 8) {
            context.module.addCapability(
                spv::Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR);
        } else if (bits == 16) {
            context.module.addCapability(
                spv::Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR);
        }
    }
}

void refuseUnfit(Int4Context& context, const Contents& contents, const Instruction& at) {
    if (contents.loose) {
        context.fail(ErrorCode::kInvalidModule, at,
                     "outside the Private and Function storage classes 4-bit integers must be "
                     "in vectors with an even Component Count (SPV_INTEL_int4)");
    }
}

}  // namespace

bool storesBytes(const Int4Context& context, spv::StorageClass storage) {
    for (const StorageRow& row : kStorage) {
        if (row.storage == storage && row.bits == 8) return context.target.device.*row.feature;
    }
    return true;
}

void checkInt4Access(Int4Context& context, const Instruction& access) {
    const bool load = access.opcode == spv::Op::OpLoad;
    if (!load && access.opcode != spv::Op::OpStore) return;
    const Module& module = context.module;
    const Instruction& pointer = module.def(module.def(access.word(0)).type);
    const auto storage = static_cast<spv::StorageClass>(pointer.word(0));
    if (isOwn(storage)) return;
    Contents contents;
    collect(context, load ? access.type : module.def(access.word(1)).type, contents);
    refuseUnfit(context, contents, access);
    if (pointer.opcode != spv::Op::OpTypeUntypedPointerKHR) return;
    for (const uint32_t bits : contents.widths) declareStorage(context, storage, bits, access);
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
        if (context.types.width(type.stand) == 16) module.addCapability(spv::Capability::Int16);
    }
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const bool untyped = i->opcode == spv::Op::OpUntypedVariableKHR;
        const bool variable = i->opcode == spv::Op::OpVariable || untyped;
        const bool pointer = i->opcode == spv::Op::OpTypePointer;
        if (!variable && !pointer) continue;
        const auto storage = static_cast<spv::StorageClass>(i->word(0));
        const bool physical = storage == spv::StorageClass::PhysicalStorageBuffer;
        if (isOwn(storage)) continue;
        // Physical memory has no variables; a pointer to a scalar may point into a vector.
        if (pointer && (!physical || (context.type(i->word(1)) != nullptr &&
                                      context.type(i->word(1))->components == 1))) {
            continue;
        }
        const Id type = pointer || untyped ? i->word(1) : module.def(i->type).word(1);
        Contents contents;
        collect(context, type, contents);
        refuseUnfit(context, contents, *i);
        for (const uint32_t bits : contents.widths) declareStorage(context, storage, bits, *i);
        if (context.error) return;
    }
}

}  // namespace coopvk::rewrite
