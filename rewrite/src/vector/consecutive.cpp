// SPDX-License-Identifier: Apache-2.0
#include "vector/consecutive.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Results that depend on operands, and on memory, alone.
bool isReading(spv::Op opcode) {
    switch (opcode) {
        case spv::Op::OpLoad:
        case spv::Op::OpAccessChain:
        case spv::Op::OpInBoundsAccessChain:
        case spv::Op::OpIAdd:
        case spv::Op::OpISub:
        case spv::Op::OpIMul:
        case spv::Op::OpShiftLeftLogical:
        case spv::Op::OpBitwiseOr:
        case spv::Op::OpBitwiseAnd:
        case spv::Op::OpUDiv:
        case spv::Op::OpUMod:
        case spv::Op::OpUConvert:
        case spv::Op::OpSConvert:
        case spv::Op::OpBitcast:
        case spv::Op::OpCopyObject:
        case spv::Op::OpCompositeExtract:
        case spv::Op::OpCompositeConstruct:
            return true;
        default:
            return false;
    }
}

bool isVolatile(const Instruction& i) {
    return i.opcode == spv::Op::OpLoad &&
           (i.word(1) & static_cast<uint32_t>(spv::MemoryAccessMask::Volatile)) != 0;
}

// Which values of a stretch of a block are equal: those made the same way of equal values.
class Equality {
 public:
    void add(const Instruction& i) {
        std::vector<uint32_t> key = {static_cast<uint32_t>(i.opcode), i.type};
        for (const Operand& operand : i.operands) {
            key.push_back(operand.isId ? of(operand.word) : operand.word);
        }
        first_[i.result] = known_.try_emplace(std::move(key), i.result).first->second;
    }
    // The first value that equals this one.
    Id of(Id value) const {
        const auto found = first_.find(value);
        return found == first_.end() ? value : found->second;
    }

 private:
    std::map<std::vector<uint32_t>, Id> known_;
    std::map<Id, Id> first_;
};

// A 32-bit integer as a value (0: none) plus a constant.
struct Sum {
    Id value = 0;
    uint32_t constant = 0;
};

Sum sumOf(const Module& module, const Equality& equal, Id id) {
    Sum sum;
    // Hostile modules may define values by themselves.
    for (int step = 0; step < 8; ++step) {
        if (const auto known = module.constantValue(id)) {
            sum.constant += static_cast<uint32_t>(*known);
            return sum;
        }
        const Instruction& def = module.def(id);
        if (def.opcode != spv::Op::OpIAdd) break;
        const auto left = module.constantValue(def.word(0));
        const auto right = module.constantValue(def.word(1));
        if (!left && !right) break;
        sum.constant += static_cast<uint32_t>(left ? *left : *right);
        id = def.word(left ? 1 : 0);
    }
    sum.value = equal.of(id);
    return sum;
}

bool sameButLastIndex(const Instruction& a, const Instruction& b, const Equality& equal) {
    if (a.opcode != b.opcode || a.type != b.type || a.operands.size() != b.operands.size()) {
        return false;
    }
    for (size_t o = 0; o + 1 < a.operands.size(); ++o) {
        if (equal.of(a.word(o)) != equal.of(b.word(o))) return false;
    }
    return true;
}

}  // namespace

std::optional<ConsecutiveLoads> consecutiveLoads(const VectorContext& context, const Block& block,
                                                 size_t at) {
    const Module& module = context.module;
    const Instruction& construct = *block.body[at];
    size_t start = at;
    for (; start > 0; --start) {
        const Instruction& i = *block.body[start - 1];
        const bool isLine = i.opcode == spv::Op::OpLine || i.opcode == spv::Op::OpNoLine;
        if (!isLine && (!isReading(i.opcode) || isVolatile(i))) break;
    }
    Equality equal;
    std::map<Id, const Instruction*> loads;
    for (size_t b = start; b < at; ++b) {
        const Instruction& i = *block.body[b];
        equal.add(i);
        if (i.opcode == spv::Op::OpLoad) loads[i.result] = &i;
    }
    ConsecutiveLoads result;
    const Instruction* firstLoad = nullptr;
    for (size_t o = 0; o < construct.operands.size(); ++o) {
        const auto load = loads.find(construct.word(o));
        if (load == loads.end()) return std::nullopt;
        const Instruction& chain = module.def(load->second->word(0));
        if (!isAccessChain(chain.opcode) || chain.operands.size() < 2) return std::nullopt;
        const Id index = chain.operands.back().word;
        if (context.types.width(module.def(index).type) != 32) return std::nullopt;
        const Sum sum = sumOf(module, equal, index);
        if (o == 0) {
            result = {&chain, sum.value, sum.constant, {}};
            firstLoad = load->second;
        }
        const bool sameAccess = std::ranges::equal(std::span(load->second->operands).subspan(1),
                                                   std::span(firstLoad->operands).subspan(1));
        if (!sameAccess || !sameButLastIndex(*result.chain, chain, equal) ||
            sum.value != result.index ||
            sum.constant != result.constant + static_cast<uint32_t>(o)) {
            return std::nullopt;
        }
    }
    if (firstLoad == nullptr) return std::nullopt;
    result.access.assign(firstLoad->operands.begin() + 1, firstLoad->operands.end());
    return result;
}

void dropUnused(VectorContext& context, const Function& function, Block& block) {
    std::map<Id, uint32_t> uses;
    for (const InstructionPtr& i : block.body) uses[i->result] = 0;
    const auto use = [&](const Instruction& i, uint32_t change) {
        for (const Operand& operand : i.operands) {
            const auto found = uses.find(operand.word);
            if (operand.isId && found != uses.end()) found->second += change;
        }
    };
    for (const Section which : {Section::kDebug, Section::kAnnotations}) {
        for (const InstructionPtr& i : context.module.section(which)) use(*i, 1);
    }
    for (const auto& other : function.blocks) {
        for (const InstructionPtr& i : other->body) use(*i, 1);
    }
    for (size_t b = block.body.size(); b-- > 0;) {
        const Instruction& i = *block.body[b];
        if (!isReading(i.opcode) || isVolatile(i) || uses[i.result] != 0) continue;
        use(i, ~0u);
        context.module.retire(std::move(block.body[b]));
    }
    std::erase(block.body, nullptr);
}

}  // namespace coopvk::rewrite
