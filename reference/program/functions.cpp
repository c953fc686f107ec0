// SPDX-License-Identifier: Apache-2.0
#include "program/decoder.hpp"

namespace coopvk::reference {

// The functions that the entry point calls, directly or not, and all ids in them.
void Decoder::findFunctions() {
    bodies_.clear();
    uint32_t id = 0;
    for (size_t i = 0; i < module_.size(); ++i) {
        if (module_[i].opcode == spv::Op::OpLabel) labels_.insert(module_[i].resultId);
        if (module_[i].opcode == spv::Op::OpFunction) {
            id = module_[i].resultId;
            bodies_[id].first = i;
        } else if (module_[i].opcode == spv::Op::OpFunctionEnd) {
            bodies_[id].last = i;
        }
    }
    reachable_ = {entry_};
    used_ = {entry_};
    for (size_t next = 0; next < reachable_.size(); ++next) {
        const Body body = bodies_[reachable_[next]];
        for (size_t i = body.first; i < body.last; ++i) {
            for (const ParsedOperand& operand : module_[i].operands) {
                const bool isNew = operand.id && used_.insert(operand.word).second;
                if (isNew && bodies_.contains(operand.word)) reachable_.push_back(operand.word);
            }
        }
    }
}

uint32_t Decoder::newSlot(uint32_t id, const Type& type) {
    const uint32_t index = static_cast<uint32_t>(program_->slots.size());
    Slot& slot = program_->slots.emplace_back();
    slot.type = &type;
    slot.id = id;
    if (type.kind == Kind::kPointer) slot.pointee = {type.element};
    program_->slotOf[id] = index;
    return index;
}

Operand Decoder::operandOf(const ParsedOperand& from) const {
    Operand operand{from.word, from.high, kNone};
    if (!from.id) return operand;
    const auto found = program_->slotOf.find(from.word);
    if (found != program_->slotOf.end()) operand.slot = found->second;
    return operand;
}

Status Decoder::readFunctions() {
    for (const uint32_t id : reachable_) {
        const Body& body = bodies_[id];
        Function& function = *program_->functions.emplace_back(std::make_unique<Function>());
        function.id = id;
        function.type = type(module_[body.first].typeId);
        if (function.type == nullptr) return invalid(module_[body.first], "no result type");
        program_->functionOf[id] = &function;
        if (function.type->components > 0) function.result = newSlot(0, *function.type);
        Status assigned = assignSlots(body, function);
        if (!assigned) return assigned;
    }
    for (const auto& function : program_->functions) {
        Status read = readFunction(bodies_[function->id], *function);
        if (!read) return read;
    }
    program_->entry = program_->functions[0].get();
    return Done{};
}

Status Decoder::assignSlots(const Body& body, Function& function) {
    for (size_t i = body.first + 1; i < body.last; ++i) {
        const Parsed& instruction = module_[i];
        const Type* of = type(instruction.typeId);
        if (of == nullptr || instruction.resultId == 0 || of->kind == Kind::kVoid) continue;
        if (of->components > kMostComponents) return unsupported(instruction);
        const std::string_view name = nameOf(instruction);
        Status read = Done{};
        if (isVariable(name)) {
            used_.insert(instruction.resultId);
            read = readVariable(instruction);
        } else if (isConstant(name)) {
            read = readConstant(instruction);
        } else {
            newSlot(instruction.resultId, *of);
        }
        if (!read) return read;
        if (instruction.opcode == spv::Op::OpFunctionParameter)
            function.parameters.push_back(program_->slotOf[instruction.resultId]);
    }
    return Done{};
}

// Labels that an instruction names: those to which a terminator branches (OpSwitch: the default's
// first), or a merge block and a continue target.
std::vector<uint32_t> Decoder::labelsOf(const Parsed& instruction) const {
    std::vector<uint32_t> labels;
    for (const ParsedOperand& operand : instruction.operands)
        if (operand.id && labels_.contains(operand.word)) labels.push_back(operand.word);
    return labels;
}

Status Decoder::readFunction(const Body& body, Function& function) {
    std::vector<Outline> outlines;
    for (size_t i = body.first; i < body.last; ++i) {
        const Parsed& instruction = module_[i];
        if (instruction.opcode == spv::Op::OpLabel)
            outlines.push_back({instruction.resultId, {}, {}, {i, i}});
        if (outlines.empty()) continue;
        Outline& outline = outlines.back();
        if (instruction.opcode == spv::Op::OpPhi) {
            phis_[outline.label].push_back(&instruction);
        } else if (instruction.opcode == spv::Op::OpSelectionMerge ||
                   instruction.opcode == spv::Op::OpLoopMerge) {
            outline.merges = labelsOf(instruction);
        } else if (!isSilent(instruction.opcode)) {  // the last one is the terminator
            outline.targets = labelsOf(instruction);
            outline.body.last = i;
        }
    }
    const std::vector<uint32_t> order = structuredOrder(outlines);
    for (uint32_t i = 0; i < order.size(); ++i) blockOf_[outlines[order[i]].label] = i;
    function.blocks.resize(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
        Block& block = function.blocks[i];
        const Outline& outline = outlines[order[i]];
        block.id = outline.label;
        Status read = readBlock(outline.body, function, block);
        if (read) read = readEdges(block, outline.targets);
        if (!read) return read;
    }
    return Done{};
}

Status Decoder::readEdges(Block& block, const std::vector<uint32_t>& targets) {
    for (const uint32_t target : targets) {
        Edge edge;
        edge.block = blockOf_[target];
        for (const Parsed* phi : phis_[target]) {
            for (size_t i = 0; i + 1 < phi->operands.size(); i += 2) {
                if (phi->operands[i + 1].word != block.id) continue;
                const Operand value = operandOf(phi->operands[i]);
                if (value.slot == kNone) return invalid(*phi, "no value");
                edge.copies.emplace_back(program_->slotOf[phi->resultId], value.slot);
            }
        }
        for (const auto& [to, unused] : edge.copies)
            for (const auto& [other, from] : edge.copies) edge.staged |= from == to && other != to;
        block.edges.push_back(std::move(edge));
    }
    return Done{};
}

}  // namespace coopvk::reference
