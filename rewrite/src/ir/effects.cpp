// SPDX-License-Identifier: Apache-2.0
#include "ir/effects.hpp"

#include <algorithm>
#include <array>

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// The sets of effects_rows.inc. For those that write, effectsOf() finds where.
namespace sets {

constexpr uint32_t kIsComputes = 0;
constexpr uint32_t kIsMayTrap = kMayTrap;
constexpr uint32_t kIsVaries = kVaries;
constexpr uint32_t kIsStands = kStands;
constexpr uint32_t kIsEnds = kStands | kActs;
constexpr uint32_t kIsOfLane = kOfLane;
constexpr uint32_t kIsOfQuad = kOfQuad;
constexpr uint32_t kIsTogether = kTogether;
constexpr uint32_t kIsTogetherOfLane = kTogether | kOfLane;
constexpr uint32_t kIsReads = kReads;
constexpr uint32_t kIsVolatileRead = kReads | kIsVolatile;
constexpr uint32_t kIsSamples = kReads | kOfQuad;
constexpr uint32_t kIsLoads = kReads | kMayTrap;
constexpr uint32_t kIsMatrixLoad = kReads | kMayTrap | kTogether | kLoadsMatrix;
constexpr uint32_t kIsWrites = kWritesMemory;
constexpr uint32_t kIsStores = kWrites | kMayTrap;
constexpr uint32_t kIsMatrixStore = kWritesMemory | kMayTrap | kTogether;
constexpr uint32_t kIsCopies = kReads | kWrites | kMayTrap;
constexpr uint32_t kIsAtomicRead = kReads | kActs | kMayTrap;
constexpr uint32_t kIsAtomicWrite = kWritesMemory | kActs | kMayTrap;
constexpr uint32_t kIsAtomic = kReads | kWritesMemory | kActs | kMayTrap;
constexpr uint32_t kIsQueries = kReads | kActs;
constexpr uint32_t kIsActs = kActs;
constexpr uint32_t kIsSynchronises = kActs | kTogether;
constexpr uint32_t kIsMultiplies = kTogether | kMultiplies;
constexpr uint32_t kIsAnything = kAnyEffect;

}  // namespace sets

struct OpcodeRow {
    uint32_t opcode, effects;
};

struct ExtendedRow {
    std::string_view set;
    uint32_t number, effects;
};

constexpr std::string_view kGlsl = "GLSL.std.450";
constexpr std::string_view kTrinaryMinMax = "SPV_AMD_shader_trinary_minmax";
constexpr std::string_view kGcn = "SPV_AMD_gcn_shader";
constexpr std::string_view kBallot = "SPV_AMD_shader_ballot";
constexpr std::string_view kExplicitVertex = "SPV_AMD_shader_explicit_vertex_parameter";

#define ROW(effects, opcode, name) {opcode, sets::kIs##effects},
#define EXTENDED(set, effects, number, name)
constexpr OpcodeRow kOpcodeRows[] = {
#include "ir/effects_rows.inc"
};
#undef ROW
#undef EXTENDED

#define ROW(effects, opcode, name)
#define EXTENDED(set, effects, number, name) {k##set, number, sets::kIs##effects},
constexpr ExtendedRow kExtendedRows[] = {
#include "ir/effects_rows.inc"
};
#undef ROW
#undef EXTENDED

// By opcode.
constexpr auto kByOpcode = [] {
    std::array<uint32_t, 7168> effects = {};
    effects.fill(kAnyEffect);
    for (const OpcodeRow& row : kOpcodeRows) effects[row.opcode] = row.effects;
    return effects;
}();

uint32_t effectsOf(spv::Op opcode) {
    const auto number = static_cast<uint32_t>(opcode);
    return number < kByOpcode.size() ? kByOpcode[number] : kAnyEffect;
}

bool isSet(const Instruction& import, std::string_view name) {
    for (size_t i = 0; i <= name.size(); ++i) {
        const uint32_t word = i / 4 < import.operands.size() ? import.word(i / 4) : 0;
        const char expected = i < name.size() ? name[i] : '\0';
        if (static_cast<char>(word >> 8 * (i % 4)) != expected) return false;
    }
    return true;
}

uint32_t effectsOfExtended(const Module& module, const Instruction& i) {
    if (isNonSemantic(module, i)) return kPrints;
    const Instruction& import = module.def(i.word(0));
    if (import.opcode != OpExtInstImport) return kAnyEffect;
    for (const ExtendedRow& row : kExtendedRows) {
        if (row.number == i.word(1) && isSet(import, row.set)) return row.effects;
    }
    return kAnyEffect;
}

// The number of the first Memory Operand of an access.
std::optional<size_t> memoryOperandsAt(spv::Op opcode) {
    switch (opcode) {
        case OpLoad:
            return 1;
        case OpStore:
        case OpCopyMemory:
        case OpCooperativeVectorLoadNV:
            return 2;
        case OpCopyMemorySized:
        case OpCooperativeVectorStoreNV:
        case OpCooperativeMatrixLoadKHR:
        case OpCooperativeMatrixLoadTensorNV:
        case OpCooperativeMatrixStoreTensorNV:
            return 3;
        case OpCooperativeMatrixStoreKHR:
            return 4;
        default:
            return std::nullopt;
    }
}

uint32_t writesThrough(const Module& module, Id pointer) {
    const spv::StorageClass storage = module.storage(pointer);
    if (module.pointee(pointer) == 0 || !isPrivate(storage)) return kWritesMemory;
    return storage == spv::StorageClass::Function ? kWritesInFunction : kWritesInPrivate;
}

// Those that OpGroupNonUniformIAdd and its like give are equal in all invocations.
bool givesTotal(const Instruction& i) {
    return i.opcode >= OpGroupNonUniformIAdd && i.opcode <= OpGroupNonUniformLogicalXor &&
           i.word(1) == static_cast<uint32_t>(spv::GroupOperation::Reduce);
}

// Calls visit(id) for each function that an instruction of a block names.
template <typename Visit>
void visitCallees(const Module& module, const Instruction& i, Visit visit) {
    for (const Operand& o : i.operands) {
        if (o.isId && module.def(o.word).opcode == OpFunction) visit(o.word);
    }
}

}  // namespace

bool combinesLanes(const Instruction& i) {
    return givesTotal(i) ||
           isOneOf(i.opcode, {OpGroupNonUniformAll, OpGroupNonUniformAny, OpGroupNonUniformAllEqual,
                              OpSubgroupAllKHR, OpSubgroupAnyKHR, OpSubgroupAllEqualKHR});
}

bool givesAllLanesOneValue(const Instruction& i) {
    return combinesLanes(i) ||
           isOneOf(i.opcode, {OpGroupNonUniformBroadcast, OpGroupNonUniformBroadcastFirst,
                              OpGroupNonUniformBallot, OpSubgroupBallotKHR,
                              OpSubgroupFirstInvocationKHR, OpSubgroupReadInvocationKHR});
}

uint32_t ownEffects(const Module& module, const Instruction& i) {
    if (i.opcode == OpFunctionCall) return 0;
    uint32_t effects = isExtInst(i.opcode) ? effectsOfExtended(module, i) : effectsOf(i.opcode);
    if (effects == sets::kIsComputes) return effects;
    if ((effects & kWrites) == kWrites && effects != kAnyEffect && !i.operands.empty()) {
        // Modf and Frexp store their second result.
        const Id pointer = isExtInst(i.opcode) ? i.operands.back().word : i.word(0);
        effects = (effects & ~kWrites) | writesThrough(module, pointer);
    }
    if (const auto memory = memoryOperandsAt(i.opcode)) {
        effects |= isVolatile(operandsBehind(i, *memory)) ? uint32_t{kIsVolatile} : 0;
    }
    return givesTotal(i) ? effects & ~kOfLane : effects;
}

uint32_t effectsOf(const Module& module, const Instruction& i) {
    if (i.opcode == OpFunctionCall) return kAnyEffect;
    uint32_t effects = ownEffects(module, i);
    visitCallees(module, i, [&](Id) { effects = kAnyEffect; });
    return effects;
}

Effects::Effects(const Module& module) : module_(module), functions_(module) {}

const Function* Effects::function(Id id) const { return functions_.find(id); }

uint32_t Effects::of(const Instruction& i) const {
    if (i.opcode == OpFunctionCall) return ofFunction(i.word(0));
    uint32_t effects = ownEffects(module_, i);
    visitCallees(module_, i, [&](Id callee) { effects |= ofFunction(callee); });
    return effects;
}

uint32_t Effects::ofFunction(Id id) const {
    // Not by recursion, since hostile modules have long chains of calls.
    std::vector<Id> pending = {id};
    while (!pending.empty()) {
        const Id one = pending.back();
        const auto [entry, isNew] = known_.try_emplace(one);
        if (isNew) {
            entry->second = visit(one);
            for (const Id callee : std::vector(entry->second.callees)) {
                if (!known_.contains(callee)) pending.push_back(callee);
            }
            continue;
        }
        pending.pop_back();
        Known& known = entry->second;
        if (known.isDone) continue;
        known.effects = known.own;
        known.isDone = true;
        // A callee that is not done leads back to this function.
        for (const Id callee : known.callees) known.effects |= known_.at(callee).effects;
    }
    return known_.at(id).effects;
}

Effects::Known Effects::visit(Id id) const {
    Known known;
    const Function* found = function(id);
    known.own = found == nullptr ? kAnyEffect : 0;
    if (found == nullptr) return known;
    found->visitBlocks([&](const Instruction& i) {
        known.own |= ownEffects(module_, i);
        if (i.opcode == OpFunctionCall) {
            known.callees.push_back(i.word(0));
        } else {
            visitCallees(module_, i, [&](Id callee) { known.callees.push_back(callee); });
        }
    });
    return known;
}

bool isSubgroupBarrier(const Module& module, const Instruction& i) {
    return i.opcode == OpControlBarrier &&
           module.constantValue(i.word(0)) == static_cast<uint64_t>(spv::Scope::Subgroup);
}

}  // namespace coopvk::rewrite
