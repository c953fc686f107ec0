// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers in memory (SPV_INTEL_int4, "Memory Layout").
#include <set>

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

struct StorageRow {
    spv::StorageClass storage;
    uint32_t bits;
    spv::Capability capability;
    bool DeviceTraits::* feature;
    std::string_view featureName;
};

using enum spv::Capability;
using Storage = spv::StorageClass;
using Traits = DeviceTraits;

constexpr StorageRow kStorage[] = {
    {Storage::StorageBuffer, 8, StorageBuffer8BitAccess, &Traits::storageBuffer8BitAccess,
     "storageBuffer8BitAccess"},
    {Storage::StorageBuffer, 16, StorageBuffer16BitAccess, &Traits::storageBuffer16BitAccess,
     "storageBuffer16BitAccess"},
    {Storage::Uniform, 8, UniformAndStorageBuffer8BitAccess,
     &Traits::uniformAndStorageBuffer8BitAccess, "uniformAndStorageBuffer8BitAccess"},
    {Storage::Uniform, 16, UniformAndStorageBuffer16BitAccess,
     &Traits::uniformAndStorageBuffer16BitAccess, "uniformAndStorageBuffer16BitAccess"},
    {Storage::PushConstant, 8, StoragePushConstant8, &Traits::storagePushConstant8,
     "storagePushConstant8"},
    {Storage::PushConstant, 16, StoragePushConstant16, &Traits::storagePushConstant16,
     "storagePushConstant16"},
};

const StorageRow* storageRow(spv::StorageClass storage, uint32_t bits) {
    if (storage == Storage::PhysicalStorageBuffer) storage = Storage::StorageBuffer;
    const auto found = std::ranges::find_if(kStorage, [&](const StorageRow& row) {
        return row.storage == storage && row.bits == bits;
    });
    return found == std::end(kStorage) ? nullptr : found;
}

void declareStorage(Int4Context& context, spv::StorageClass storage, uint32_t bits,
                    const Instruction& at) {
    Module& module = context.module;
    if (const StorageRow* row = storageRow(storage, bits)) {
        if (!(context.target.device.*row->feature)) {
            context.fail(ErrorCode::kUnsupported, at,
                         std::format("vectors of {} 4-bit integers here need {}", bits / 4,
                                     row->featureName));
        }
        module.addCapability(row->capability);
        if (bits == 8 && module.version() < 0x00010500) module.addExtension("SPV_KHR_8bit_storage");
        if (bits == 16 && module.version() < 0x00010300) {
            module.addExtension("SPV_KHR_16bit_storage");
        }
    }
    // A block in Workgroup memory has an explicit layout.
    if (storage == Storage::Workgroup && bits < 32 &&
        module.hasCapability(WorkgroupMemoryExplicitLayoutKHR)) {
        module.addCapability(bits == 8 ? WorkgroupMemoryExplicitLayout8BitAccessKHR
                                       : WorkgroupMemoryExplicitLayout16BitAccessKHR);
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
    const StorageRow* row = storageRow(storage, 8);
    return row == nullptr || context.target.device.*row->feature;
}

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
        if (pointer && (scalar || storageOf(*i) != Storage::PhysicalStorageBuffer)) continue;
        Contents contents;
        collect(context, type, contents);
        refuseUnfit(context, contents, *i);
        for (const uint32_t bits : contents.widths)
            declareStorage(context, storageOf(*i), bits, *i);
        if (context.error) return;
    }
}

}  // namespace coopvk::rewrite
