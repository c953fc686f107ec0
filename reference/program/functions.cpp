// SPDX-License-Identifier: Apache-2.0
//
// Functions, their blocks and instructions.

#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"
#include "program/decoder.hpp"

namespace coopvk::reference {
namespace {

// Instructions that do nothing when they execute, or whose work edges do.
bool isSilent(spv::Op opcode) {
    static constexpr spv::Op kSilent[] = {
        OpLabel, OpPhi,   OpSelectionMerge, OpLoopMerge,     OpLine,        OpNoLine,
        OpNop,   OpUndef, OpPoisonKHR,      OpLifetimeStart, OpLifetimeStop};
    return std::find(std::begin(kSilent), std::end(kSilent), opcode) != std::end(kSilent);
}

// Instructions that read what other invocations of the quad have.
bool usesQuads(spv::Op opcode) {
    static constexpr spv::Op kOnQuads[] = {OpDPdx,
                                           OpDPdy,
                                           OpFwidth,
                                           OpDPdxFine,
                                           OpDPdyFine,
                                           OpFwidthFine,
                                           OpDPdxCoarse,
                                           OpDPdyCoarse,
                                           OpFwidthCoarse,
                                           OpGroupNonUniformQuadBroadcast,
                                           OpGroupNonUniformQuadSwap,
                                           OpGroupNonUniformQuadAllKHR,
                                           OpGroupNonUniformQuadAnyKHR,
                                           OpImageSampleImplicitLod,
                                           OpImageSampleDrefImplicitLod,
                                           OpImageSampleProjImplicitLod,
                                           OpImageSampleProjDrefImplicitLod,
                                           OpImageQueryLod};
    return std::ranges::find(kOnQuads, opcode) != std::end(kOnQuads);
}

}  // namespace

// A pointer to memory that the device does not have.
bool Decoder::isForeign(const Type* type) const {
    using enum spv::StorageClass;
    constexpr spv::StorageClass kKnown[] = {
        UniformConstant, Input,    Uniform,      Output,        Workgroup,
        Private,         Function, PushConstant, StorageBuffer, PhysicalStorageBuffer};
    if (type == nullptr || type->kind != Kind::kPointer) return false;
    if (type->storage == Image && request_.images) return false;
    if (request_.isScripted && listStorage(type->storage) != nullptr) return false;
    return std::ranges::find(kKnown, type->storage) == std::end(kKnown);
}

// The functions that the entry point calls, directly or not, and all ids in them.
void Decoder::findFunctions() {
    uint32_t id = 0;
    for (size_t i = 0; i < module_.size(); ++i) {
        if (module_[i].opcode == OpLabel) blocks_[module_[i].resultId] = {};
        if (module_[i].opcode == OpFunction) {
            id = module_[i].resultId;
            bodies_[id].first = i;
        } else if (module_[i].opcode == OpFunctionEnd) {
            bodies_[id].last = i;
        }
    }
    reachable_ = {entry_};
    used_ = {entry_};
    for (size_t next = 0; next < reachable_.size(); ++next) {
        const Body body = bodies_[reachable_[next]];
        for (size_t i = body.first; i < body.last; ++i) {
            for (const Operand& operand : module_[i].operands) {
                const bool isNew = operand.isId && used_.insert(operand.word).second;
                if (isNew && bodies_.contains(operand.word)) reachable_.push_back(operand.word);
            }
        }
    }
}

Status Decoder::readFunctions() {
    for (const uint32_t id : reachable_) {
        const Parsed& start = module_[bodies_[id].first];
        Function& function = program_->functions[id];
        function.type = type(start.typeId);
        if (function.type == nullptr) return invalid(start, "no result type");
        if (function.type->kind != Kind::kVoid)
            function.result = program_->newSlot(0, *function.type);
        noteRelaxedMove(start);
        if (Status assigned = assignSlots(bodies_[id], function); !assigned) return assigned;
    }
    for (auto& [id, function] : program_->functions)
        if (Status read = readFunction(bodies_[id], function); !read) return read;
    program_->entry = &program_->functions[entry_];
    return Done{};
}

Status Decoder::assignSlots(const Body& body, Function& function) {
    for (size_t i = body.first + 1; i < body.last; ++i) {
        const Parsed& instruction = module_[i];
        const Type* of = type(instruction.typeId);
        if (of == nullptr || instruction.resultId == 0 || of->kind == Kind::kVoid) continue;
        if (of->components > kMostComponents) return unsupported(instruction);
        noteRelaxedMove(instruction);
        if (isVariable(instruction.opcode) || isConstant(nameOf(instruction))) {
            used_.insert(instruction.resultId);
            if (Status read = readDeclaration(instruction); !read) return read;
        } else {
            const uint32_t slot = program_->newSlot(instruction.resultId, *of);
            if (instruction.opcode == OpFunctionParameter) function.parameters.push_back(slot);
        }
    }
    return Done{};
}

// Labels that an instruction names: those to which a terminator branches (OpSwitch: the default's
// first), or a merge block and a continue target.
std::vector<uint32_t> Decoder::labelsOf(const Parsed& instruction) const {
    std::vector<uint32_t> labels;
    for (const Operand& operand : instruction.operands)
        if (operand.isId && blocks_.contains(operand.word)) labels.push_back(operand.word);
    return labels;
}

// Fills the outlines of a function's blocks; returns that of the first, or null.
Outline* Decoder::outline(const Body& body) {
    Outline *first = nullptr, *block = nullptr;
    for (size_t i = body.first; i < body.last; ++i) {
        const Parsed& instruction = module_[i];
        if (instruction.opcode == OpLabel) {
            block = &blocks_[instruction.resultId];
            *block = {instruction.resultId, {i, i}};
            if (first == nullptr) first = block;
        } else if (block == nullptr) {
            continue;
        } else if (instruction.opcode == OpPhi) {
            block->phis.push_back(&instruction);
        } else if (instruction.opcode == OpSelectionMerge || instruction.opcode == OpLoopMerge) {
            block->successors = block->merges = labelsOf(instruction);
        } else if (!isSilent(instruction.opcode)) {
            block->targets = labelsOf(instruction);  // the last one is the terminator
            block->body.last = i;
        }
    }
    return first;
}

// The order of a function's blocks in which a merge block is behind all blocks of its construct,
// and a continue target behind those that may branch to it: a reverse post-order of a depth-first
// search that goes to merge blocks first, then to continue targets. Blocks that nothing reaches are
// left out.
std::vector<Outline*> Decoder::structuredOrder(Outline* entry) {
    struct Visit {
        Outline* block;
        size_t next;  // of the labels to which it leads
    };
    std::vector<Outline*> order;
    std::vector<Visit> stack;
    const auto visit = [&](Outline* block) {
        if (std::exchange(block->reached, true)) return;
        // The first target is visited last, so that it comes first.
        block->successors.insert(block->successors.end(), block->targets.rbegin(),
                                 block->targets.rend());
        stack.push_back({block, 0});
    };
    if (entry != nullptr) visit(entry);
    while (!stack.empty()) {
        Visit& top = stack.back();
        if (top.next < top.block->successors.size()) {
            visit(&blocks_[top.block->successors[top.next++]]);
        } else {
            order.push_back(top.block);
            stack.pop_back();
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

Status Decoder::readFunction(const Body& body, Function& function) {
    const std::vector<Outline*> order = structuredOrder(outline(body));
    for (uint32_t i = 0; i < order.size(); ++i) order[i]->number = i;
    function.blocks.resize(order.size());
    for (const Outline* header : order)
        if (header->merges.size() > 1)
            function.loops.push_back(
                {header->number, blocks_[header->merges[0]].number, program_->loops++});
    for (const Outline* from : order) {
        Block& block = function.blocks[from->number];
        if (!from->merges.empty()) block.merge = blocks_[from->merges[0]].number;
        if (from->merges.size() > 1) block.continueTarget = blocks_[from->merges[1]].number;
        Status read = readBlock(from->body, function, block);
        if (read) read = readEdges(*from, function, block);
        if (!read) return read;
    }
    if (request_.contracts) contract(function);
    return Done{};
}

Status Decoder::readBlock(const Body& body, const Function& function, Block& block) {
    for (size_t i = body.first; i <= body.last; ++i) {
        const Parsed& instruction = module_[i];
        if (isSilent(instruction.opcode)) continue;
        Instruction& read = block.instructions.emplace_back();
        if (Status chosen = chooseRow(instruction, read); !chosen) return chosen;
        if (instruction.opcode == OpReturnValue) read.result = function.result;
        if (read.handler == nullptr) block.instructions.pop_back();
    }
    return Done{};
}

Status Decoder::readEdges(const Outline& from, const Function& function, Block& block) {
    for (const uint32_t target : from.targets) {
        const Outline& to = blocks_[target];
        Edge& edge = block.edges.emplace_back();
        edge.block = to.number;
        const auto loop = std::ranges::find(function.loops, to.number, &Loop::first);
        if (loop != function.loops.end()) edge.loop = loop->number;
        edge.repeats = from.number >= to.number;
        for (const Parsed* phi : to.phis) {
            for (size_t i = 0; i + 1 < phi->operands.size(); i += 2) {
                if ((*phi)[i + 1] != from.label) continue;
                const uint32_t value = slotOf((*phi)[i]);
                if (value == kNone) return invalid(*phi, "no value");
                edge.copies.emplace_back(slotOf(phi->resultId), value);
            }
        }
        // If a phi's value is another phi here, all go through slots of their own.
        bool overlap = false;
        for (const auto& [phi, unused] : edge.copies)
            for (const auto& [other, value] : edge.copies) overlap |= value == phi && other != phi;
        if (!overlap) continue;
        const auto direct = std::exchange(edge.copies, {});
        for (const auto& [phi, value] : direct)
            edge.copies.emplace_back(program_->newSlot(0, *program_->slots[phi].type), value);
        for (size_t n = 0; n < direct.size(); ++n)
            edge.copies.emplace_back(direct[n].first, edge.copies[n].first);
    }
    return Done{};
}

void Decoder::readUniformity(const Instruction& at, bool isNonUniform) {
    if (at.result == kNone) return;
    Slot& slot = program_->slots[at.result];
    slot.nonUniform = isNonUniform;
    // Vulkan, VUID-RuntimeSpirv-NonUniform-06274: so is what selects one of several resources.
    const bool selects = at.opcode == OpSelect || at.opcode == OpPhi;
    if (selects && at.type->kind == Kind::kPointer &&
        at.type->storage == spv::StorageClass::StorageBuffer)
        slot.ofDescriptors = true;
}

// Without a handler: an instruction that does nothing.
Status Decoder::chooseRow(const Parsed& from, Instruction& to) {
    to = from;
    to.type = type(from.typeId);
    to.result = slotOf(from.resultId);
    if (from.opcode == OpExtInst || from.opcode == OpExtInstWithForwardRefsKHR) {
        const std::string& set = program_->strings[from[0]];
        to.row = findRow(set, from[1]);
        if (to.row == nullptr && set.starts_with("NonSemantic.")) return Done{};
        to.operands.erase(to.operands.begin(), to.operands.begin() + 2);
    } else {
        to.row = findRow(from.opcode);
        if (to.row == nullptr && request_.isScripted) to.row = scriptedRow(from.opcode);
        program_->usesQuads |= usesQuads(from.opcode);
    }
    if (to.row == nullptr) return unsupported(from);
    to.handler = to.row->handler;
    bool foreign = isForeign(to.type);
    for (Operand& operand : to.operands) {
        if (operand.isId) operand.slot = slotOf(operand.word);
        foreign |= operand.slot != kNone && isForeign(program_->slots[operand.slot].type);
    }
    if (foreign)
        return Error{ErrorCode::kUnsupported,
                     "a pointer's storage class is none that this device has"};
    const auto has = [&](spv::Decoration wanted) {
        return decorations_.has(from.resultId, wanted);
    };
    to.saturates = has(spv::Decoration::SaturatedConversion) ||
                   has(spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT);
    to.isUniform = has(spv::Decoration::Uniform);
    to.transposes = has(spv::Decoration::CooperativeMatrixTransposeEXT);
    readUniformity(to, has(spv::Decoration::NonUniform));
    to.rearranges = allows(to, spv::FPFastMathModeMask::AllowReassoc);
    // SPIR-V, 2.16.2: FPRoundingMode is for conversions "whose only uses are Object operands of
    // OpStore instructions storing through a pointer to a 16-bit floating-point object". No matrix
    // is stored so: it says nothing there.
    if (to.type == nullptr || to.type->kind != Kind::kCooperativeMatrix)
        to.rounding =
            decorations_.of(from.resultId, spv::Decoration::FPRoundingMode).value_or(kNone);
    readLiberties(from, to);
    if (to.row->prepare == nullptr) return Done{};
    Status read = to.row->prepare(*program_, to);
    if (!read && read.error().message.empty()) return unsupported(from);
    return read;
}

}  // namespace coopvk::reference
