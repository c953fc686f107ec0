// SPDX-License-Identifier: Apache-2.0
#include "edit.hpp"

#include <algorithm>

namespace coopvk::fuzz {
namespace {

using spv::Op;

bool matches(const Instruction& i, Op opcode, uint32_t type, std::initializer_list<Word> operands) {
    if (i.opcode() != opcode || i.type() != type || i.result() == 0) return false;
    const size_t first = i.firstOperand();
    return i.words.size() == first + operands.size() &&
           std::equal(operands.begin(), operands.end(),
                      i.words.begin() + static_cast<std::ptrdiff_t>(first),
                      [](const Word& a, const Word& b) { return a.value == b.value; });
}

bool isCooperative(const Facts& facts, uint32_t type) {
    const Instruction* found = facts.find(type);
    if (found == nullptr) return false;
    switch (found->opcode()) {
        case Op::OpTypeCooperativeMatrixKHR:
        case Op::OpTypeCooperativeMatrixNV:
        case Op::OpTypeCooperativeVectorNV:
        case Op::OpTypeStruct:
        case Op::OpTypeArray:
            return true;
        default:
            return false;
    }
}

}  // namespace

std::optional<Use> findUse(const Module& module, const Facts& facts, Random& random) {
    if (facts.places().empty()) return std::nullopt;
    std::optional<Use> found;
    for (int tries = 0; tries < 24; ++tries) {
        const size_t place = random.from(facts.places());
        const Instruction& i = module.instructions[place];
        if (i.words.size() < 2) continue;
        const size_t at = 1 + random.below(i.words.size() - 1);
        if (i.words[at].kind != Kind::kId) continue;
        const uint32_t value = i.words[at].value, type = facts.typeOf(value);
        const Instruction* definition = facts.find(value);
        if (type == 0 || definition->opcode() == Op::OpFunction) continue;
        found = Use{place, at, value, type};
        if (isCooperative(facts, type) || random.oneOf(6)) return found;
    }
    return found;
}

uint32_t Edit::global(Op opcode, uint32_t type, std::initializer_list<Word> operands) {
    for (size_t at = 0; at < facts_.firstFunction(); ++at) {
        if (matches(module_.instructions[at], opcode, type, operands))
            return module_.instructions[at].result();
    }
    for (const Instruction& i : globals_) {
        if (matches(i, opcode, type, operands)) return i.result();
    }
    Instruction made = makeInstruction(opcode, type, module_.freshId());
    for (Word word : operands) made << word;
    globals_.push_back(made);
    return made.result();
}

uint32_t Edit::variable(uint32_t type) {
    const uint32_t storage = static_cast<uint32_t>(spv::StorageClass::Function);
    const uint32_t pointer = global(Op::OpTypePointer, 0, {literal(storage), id(type)});
    Instruction made = makeInstruction(Op::OpVariable, pointer, module_.freshId());
    made << literal(storage);
    variables_.push_back(made);
    return made.result();
}

uint32_t Edit::emit(Op opcode, uint32_t type, std::initializer_list<Word> operands) {
    const uint32_t result = type != 0 ? module_.freshId() : 0;
    emitWithId(opcode, type, result, operands);
    return result;
}

void Edit::emitWithId(Op opcode, uint32_t type, uint32_t result,
                      std::initializer_list<Word> operands) {
    Instruction made = makeInstruction(opcode, type, result);
    for (Word word : operands) made << word;
    before_.push_back(made);
}

uint32_t Edit::label() {
    const uint32_t made = module_.freshId();
    place(made);
    return made;
}

uint32_t Edit::identityFunction(uint32_t type) {
    const uint32_t signature = global(Op::OpTypeFunction, 0, {id(type), id(type)});
    const uint32_t function = module_.freshId(), parameter = module_.freshId();
    functions_.push_back(makeInstruction(Op::OpFunction, type, function));
    functions_.back() << literal(0) << id(signature);
    functions_.push_back(makeInstruction(Op::OpFunctionParameter, type, parameter));
    functions_.push_back(makeInstruction(Op::OpLabel, 0, module_.freshId()));
    functions_.push_back(makeInstruction(Op::OpReturnValue, 0, 0));
    functions_.back() << id(parameter);
    functions_.push_back(makeInstruction(Op::OpFunctionEnd, 0, 0));
    return function;
}

void Edit::insert(size_t at, const std::vector<Instruction>& list) {
    module_.instructions.insert(module_.instructions.begin() + static_cast<std::ptrdiff_t>(at),
                                list.begin(), list.end());
}

void Edit::movePhis(uint32_t from, uint32_t to) {
    for (Instruction& i : module_.instructions) {
        if (i.opcode() != Op::OpPhi) continue;
        for (size_t at = i.firstOperand() + 1; at < i.words.size(); at += 2) {
            if (i.words[at].value == from) i.words[at].value = to;
        }
    }
}

// From the end to the front, so that positions stay valid.
void Edit::apply(uint32_t value) {
    const size_t function = facts_.functionOf(use_.place);
    const uint32_t block = module_.instructions[facts_.blockOf(use_.place)].result();
    module_.instructions[use_.place].words[use_.word].value = value;
    if (tail_ != 0) movePhis(block, tail_);
    insert(module_.instructions.size(), functions_);
    insert(use_.place, before_);
    size_t entry = function;
    while (entry < use_.place && module_.instructions[entry].opcode() != Op::OpLabel) ++entry;
    insert(entry + 1, variables_);
    insert(facts_.firstFunction(), globals_);
}

}  // namespace coopvk::fuzz
