// SPDX-License-Identifier: Apache-2.0
#include <spirv-tools/libspirv.h>

#include <algorithm>

#include "execution/opcode_table.hpp"
#include "program/decoder.hpp"

namespace coopvk::reference {

// The functions that the entry point calls, directly or not, and all ids in them.
void Decoder::findFunctions() {
    ranges_.clear();
    uint32_t id = 0;
    for (size_t i = 0; i < module_.size(); ++i) {
        if (module_[i].opcode == spv::Op::OpFunction) {
            id = module_[i].resultId;
            ranges_[id].first = i;
        } else if (module_[i].opcode == spv::Op::OpFunctionEnd) {
            ranges_[id].last = i;
        }
    }
    reachable_ = {entry_};
    used_.clear();
    for (size_t next = 0; next < reachable_.size(); ++next) {
        const Range_ range = ranges_[reachable_[next]];
        for (size_t i = range.first; i < range.last; ++i) {
            for (const ParsedOperand& operand : module_[i].operands) {
                if (!operand.id || !used_.insert(operand.word).second) continue;
                if (ranges_.contains(operand.word) &&
                    std::find(reachable_.begin(), reachable_.end(), operand.word) ==
                        reachable_.end())
                    reachable_.push_back(operand.word);
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
    std::vector<Function*> functions;
    for (const uint32_t id : reachable_) {
        const Range_ range = ranges_[id];
        Function& function = *program_->functions.emplace_back(std::make_unique<Function>());
        function.id = id;
        function.type = type(module_[range.first].typeId);
        if (function.type == nullptr) return invalid(module_[range.first], "no result type");
        program_->functionOf[id] = &function;
        functions.push_back(&function);
        if (function.type->components > 0) function.result = newSlot(0, *function.type);
        assignSlots(range);
        for (size_t i = range.first; i < range.last; ++i)
            if (module_[i].opcode == spv::Op::OpFunctionParameter)
                function.parameters.push_back(program_->slotOf[module_[i].resultId]);
    }
    for (size_t i = 0; i < functions.size(); ++i) {
        Status read = readFunction(ranges_[reachable_[i]], *functions[i]);
        if (!read) return read;
    }
    program_->entry = functions[0];
    return Done{};
}

void Decoder::assignSlots(const Range_& range) {
    for (size_t i = range.first + 1; i < range.last; ++i) {
        const Parsed& instruction = module_[i];
        const Type* of = type(instruction.typeId);
        if (of == nullptr || instruction.resultId == 0) continue;
        switch (instruction.opcode) {
            case spv::Op::OpVariable:
            case spv::Op::OpUntypedVariableKHR:
                used_.insert(instruction.resultId);
                (void)readVariable(instruction);  // its type is known: no error
                break;
            case spv::Op::OpUndef:
            case spv::Op::OpPoisonKHR:
                addConstant(instruction.resultId, *of, {}, false);
                break;
            default:
                if (of->kind != Kind::kVoid) newSlot(instruction.resultId, *of);
        }
    }
}

namespace {

bool isTerminator(spv::Op opcode) {
    switch (opcode) {
        case spv::Op::OpBranch:
        case spv::Op::OpBranchConditional:
        case spv::Op::OpSwitch:
        case spv::Op::OpReturn:
        case spv::Op::OpReturnValue:
        case spv::Op::OpKill:
        case spv::Op::OpTerminateInvocation:
        case spv::Op::OpUnreachable:
        case spv::Op::OpAbortKHR:
            return true;
        default:
            return false;
    }
}

// Labels to which a terminator branches; OpSwitch: the default's first.
std::vector<uint32_t> targetsOf(const Parsed& terminator) {
    const auto& operands = terminator.operands;
    switch (terminator.opcode) {
        case spv::Op::OpBranch:
            return {operands[0].word};
        case spv::Op::OpBranchConditional:
            return {operands[1].word, operands[2].word};
        case spv::Op::OpSwitch: {
            std::vector<uint32_t> targets{operands[1].word};
            for (size_t i = 3; i < operands.size(); i += 2) targets.push_back(operands[i].word);
            return targets;
        }
        default:
            return {};
    }
}

}  // namespace

Status Decoder::readFunction(const Range_& range, Function& function) {
    struct Bounds {
        size_t first = 0, last = 0;
    };
    std::vector<Outline> outlines;
    std::vector<Bounds> bounds;
    for (size_t i = range.first; i < range.last; ++i) {
        const Parsed& instruction = module_[i];
        if (instruction.opcode == spv::Op::OpLabel) {
            outlines.push_back({instruction.resultId, {}, {}});
            bounds.push_back({i, i});
        } else if (instruction.opcode == spv::Op::OpPhi) {
            phis_[outlines.back().label].push_back(&instruction);
        } else if (instruction.opcode == spv::Op::OpSelectionMerge) {
            outlines.back().merges = {instruction.operands[0].word};
        } else if (instruction.opcode == spv::Op::OpLoopMerge) {
            outlines.back().merges = {instruction.operands[0].word, instruction.operands[1].word};
        } else if (isTerminator(instruction.opcode)) {
            outlines.back().targets = targetsOf(instruction);
            bounds.back().last = i;
        }
    }
    const std::vector<uint32_t> order = structuredOrder(outlines);
    for (uint32_t i = 0; i < order.size(); ++i) blockOf_[outlines[order[i]].label] = i;
    function.blocks.resize(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
        Block& block = function.blocks[i];
        block.id = outlines[order[i]].label;
        Status read = readBlock(bounds[order[i]].first, bounds[order[i]].last, function, block);
        if (!read) return read;
        read = readEdges(function, block, outlines[order[i]].targets);
        if (!read) return read;
    }
    return Done{};
}

Status Decoder::readEdges(Function&, Block& block, const std::vector<uint32_t>& targets) {
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
