// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <format>

#include "coopvk/vector_matrix.hpp"
#include "ir/entry_point.hpp"
#include "ir/types.hpp"
#include "lowering/context.hpp"
#include "lowering/place.hpp"
#include "lowering/private_built_ins.hpp"
#include "lowering/staging.hpp"

namespace coopvk::rewrite {

namespace {

bool isOfSubgroups(spv::BuiltIn builtIn) {
    return builtIn == spv::BuiltIn::SubgroupLocalInvocationId ||
           builtIn == spv::BuiltIn::SubgroupId || builtIn == spv::BuiltIn::SubgroupSize;
}

// The variable for the built-in in the interface of the entry point, or a new one of the scalar
// `type`. An interface may have only one, and the module may have others that are not in it.
Id builtInVariable(TypeTable& types, spv::BuiltIn builtIn, Id type, std::string_view name) {
    Module& module = types.module();
    Instruction& entry = *module.section(Section::kEntryPoints).front();
    const auto number = static_cast<uint32_t>(builtIn);
    // The interface follows the name, whose words are not ids.
    for (const Operand& o : operandsBehind(entry, 2)) {
        if (o.isId && module.def(o.word).opcode == OpVariable &&
            module.decoration(o.word, spv::Decoration::BuiltIn) == number) {
            return o.word;
        }
    }
    const Id variable = globalVariable(types, spv::StorageClass::Input, type, name);
    module.decorate(variable, spv::Decoration::BuiltIn, {number});
    // Integer inputs of fragment shaders must be Flat.
    const bool isFragment = entry.word(0) == static_cast<uint32_t>(spv::ExecutionModel::Fragment);
    if (isFragment && types.isInteger(type)) module.decorate(variable, spv::Decoration::Flat);
    if (isOfSubgroups(builtIn)) module.addCapability(spv::Capability::GroupNonUniform);
    entry.operands.push_back(idOperand(variable));
    return variable;
}

// Loads a built-in as the scalar `type`.
Id read(Emitter& emit, spv::BuiltIn builtIn, Id type, std::string_view name,
        const Operands& memory = {}) {
    const Id variable = builtInVariable(emit.types(), builtIn, type, name);
    return emit.bitcast(type, emit.load(emit.module().pointee(variable), variable, memory));
}

}  // namespace

Id readLane(Emitter& emit) {
    return read(emit, spv::BuiltIn::SubgroupLocalInvocationId, emit.types().uint32(),
                "coopvk_lane");
}

Id readSubgroup(Emitter& emit) {
    return read(emit, spv::BuiltIn::SubgroupId, emit.types().uint32(), "coopvk_subgroup");
}

Id readSubgroupSize(Emitter& emit) {
    return read(emit, spv::BuiltIn::SubgroupSize, emit.types().uint32(), "coopvk_subgroup_size");
}

Id readInvocation(Emitter& emit) {
    return read(emit, spv::BuiltIn::LocalInvocationIndex, emit.types().uint32(),
                "coopvk_invocation");
}

Id readWorkgroup(Emitter& emit) {
    TypeTable& types = emit.types();
    const auto parts = [&](spv::BuiltIn builtIn, std::string_view name) {
        const Id vector = types.vectorType(types.uint32(), 3);
        return emit.parts(read(emit, builtIn, vector, name));
    };
    const std::vector<Id> at = parts(spv::BuiltIn::WorkgroupId, "coopvk_workgroup");
    const std::vector<Id> sizes = parts(spv::BuiltIn::NumWorkgroups, "coopvk_workgroups");
    const Id rows = emit.addU32(at[1], emit.mulU32(at[2], sizes[1]));
    return emit.addU32(at[0], emit.mulU32(rows, sizes[0]));
}

Id readIsHelper(Emitter& emit) {
    return read(emit, spv::BuiltIn::HelperInvocation, emit.types().boolType(), "coopvk_is_helper",
                {literal(spv::MemoryAccessMask::Volatile)});
}

namespace {

struct Limits {
    uint64_t shared;       // bytes of shared memory
    uint64_t withPayload;  // bytes of shared memory and task payload together
};

Limits limitsOf(const Module& module, const DeviceFeatures& device) {
    const InstructionList& entries = module.section(Section::kEntryPoints);
    const uint32_t model = entries.empty() ? 0 : entries.front()->word(0);
    switch (static_cast<spv::ExecutionModel>(model)) {
        case spv::ExecutionModel::TaskEXT:
        case spv::ExecutionModel::TaskNV:
            return {device.maxTaskSharedMemorySize, device.maxTaskPayloadAndSharedMemorySize};
        case spv::ExecutionModel::MeshEXT:
        case spv::ExecutionModel::MeshNV:
            return {device.maxMeshSharedMemorySize, device.maxMeshPayloadAndSharedMemorySize};
        default:
            return {device.maxComputeSharedMemorySize, device.maxComputeSharedMemorySize};
    }
}

}  // namespace

bool sharedMemoryHasRoom(const Module& module, uint64_t bytes, const DeviceFeatures& device) {
    if (hasSharedBlocks(module)) return false;
    TypeSizes sizes(module, MemoryLayout::kShared);
    const Limits limits = limitsOf(module, device);
    uint64_t shared = 0, payload = 0;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode != OpVariable) continue;
        const spv::StorageClass storage = storageOf(*i);
        if (storage != spv::StorageClass::Workgroup &&
            storage != spv::StorageClass::TaskPayloadWorkgroupEXT) {
            continue;
        }
        const Id type = module.def(i->type).word(1);
        const bool isShared = storage == spv::StorageClass::Workgroup;
        uint64_t& size = isShared ? shared : payload;
        size = roundUp(size, 16) + sizes.of(type).bytes;
    }
    shared += bytes;
    return shared <= limits.shared && roundUp(shared, 16) + payload <= limits.withPayload;
}

void sharedBarrier(Emitter& emit, spv::Scope scope) {
    const uint32_t order = sharedSemantics(emit.module(), spv::MemorySemanticsMask::AcquireRelease);
    const Id scopeId = emit.scope(scope);
    emit.opVoid(OpControlBarrier, idOperands(std::array{scopeId, scopeId, emit.constant(order)}));
}

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

SubgroupArea declareArea(TypeTable& types, std::string_view name, Id element, uint32_t elements,
                         uint32_t subgroups) {
    const Id array = types.arrayType(element, elements * subgroups);
    return {globalVariable(types, spv::StorageClass::Workgroup, array, name), element, elements};
}

void Staging::reserve(Id element, uint32_t elements) {
    SubgroupArea& area = areas_[element];
    area.elements = std::max(area.elements, elements);
}

bool Staging::fits(uint64_t more) const {
    if (areas_.empty() && more == 0) return true;
    uint64_t bytes = more;
    for (const auto& [element, area] : areas_) {
        bytes += uint64_t{area.elements} * subgroups_ * bytesOf(context_.types, element);
    }
    return sharedMemoryHasRoom(context_.module, bytes, context_.target.device);
}

const SubgroupArea& Staging::area(Id element) {
    SubgroupArea& area = areas_[element];
    if (area.variable == 0)
        area = declareArea(context_.types, "coopvk_staging", element, area.elements, subgroups_);
    return area;
}

AreaAccess Staging::access(FunctionWriter& writer, Id element) {
    const SubgroupArea& found = area(element);
    const Id start = writer.emit().times(writer.subgroup(), found.elements);
    return {writer.emit(), found, spv::Scope::Subgroup, start};
}

void Staging::declare() {
    for (const auto& [element, reserved] : areas_) area(element);
}

}  // namespace coopvk::rewrite
