// SPDX-License-Identifier: Apache-2.0
#include "blockio/natural_layout.hpp"

#include <algorithm>
#include <bit>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

uint64_t alignUp(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

bool isPacked(const Module& module, Id type) {
    return module.decoration(type, spv::Decoration::CPacked).has_value();
}

bool isAggregate(spv::Op opcode) { return opcode == spv::Op::OpTypeStruct || isArrayType(opcode); }

// Types in an aggregate.
std::span<const Operand> inside(const Instruction& type) {
    return std::span(type.operands).first(isArrayType(type.opcode) ? 1 : type.operands.size());
}

}  // namespace

NaturalLayout::NaturalLayout(TypeTable& types, std::unordered_set<Id> roots)
    : module_(types.module()) {
    // Types are declared after those that they are made of.
    std::vector<Id> aggregates;
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (i->result == 0 || i->type != 0) continue;
        facts_[i->result] = measure(*i);
        if (isAggregate(i->opcode)) aggregates.push_back(i->result);
    }
    for (size_t a = aggregates.size(); a-- > 0;) {
        if (!roots.contains(aggregates[a])) continue;
        for (const Operand& part : inside(module_.def(aggregates[a]))) roots.insert(part.word);
    }
    for (const Id type : aggregates) {
        if (!roots.contains(type)) continue;
        const bool array = isArrayType(module_.def(type).opcode);
        const Id made = array ? makeArray(type) : makeStruct(type);
        explicit_[type] = explicit_[made] = made;
        facts_[made] = fact(type);
    }
}

const NaturalLayout::Fact& NaturalLayout::fact(Id type) const {
    static const Fact kNone;
    const auto found = facts_.find(type);
    return found == facts_.end() ? kNone : found->second;
}

Id NaturalLayout::explicitType(Id type) const {
    const auto found = explicit_.find(type);
    return found == explicit_.end() ? type : found->second;
}

NaturalLayout::Fact NaturalLayout::measure(const Instruction& type) const {
    constexpr uint32_t kPointer = 8;
    switch (type.opcode) {
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat: {
            const uint32_t bytes = std::max(type.word(0) / 8, 1u);
            return {bytes, bytes, bytes, 1};
        }
        case spv::Op::OpTypePointer:
        case spv::Op::OpTypeUntypedPointerKHR:
            return {kPointer, kPointer, kPointer, 1};
        case spv::Op::OpTypeVector: {
            const uint32_t scalar = fact(type.word(0)).scalarBytes;
            const uint32_t bytes = scalar * std::bit_ceil(std::min(type.word(1), 16u));
            return {bytes, bytes, scalar, 1};
        }
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray: {
            const Fact& element = fact(type.word(0));
            const auto stride = module_.decoration(type.result, spv::Decoration::ArrayStride);
            const uint64_t length = std::min(memberCount(module_, type.result).value_or(0), kMost);
            return {std::min(length * (stride ? *stride : element.size), kMost), element.alignment,
                    element.scalarBytes, std::min(length * element.parts, kMost)};
        }
        case spv::Op::OpTypeStruct:
            return measureStruct(type);
        default:
            return {};
    }
}

// Where a member starts, if the one before it ends at `end`.
uint64_t NaturalLayout::memberStart(const Instruction& type, uint32_t member, uint64_t end) const {
    const auto offset = module_.memberDecoration(type.result, member, spv::Decoration::Offset);
    if (offset) return *offset;
    return isPacked(module_, type.result) ? end : alignUp(end, alignment(type.word(member)));
}

NaturalLayout::Fact NaturalLayout::measureStruct(const Instruction& type) const {
    Fact all = {0, 1, 1, 0};
    for (uint32_t m = 0; m < type.operands.size(); ++m) {
        const Fact& member = fact(type.word(m));
        all.size = std::max(all.size, memberStart(type, m, all.size) + member.size);
        all.scalarBytes = std::max(all.scalarBytes, member.scalarBytes);
        all.parts = std::min(all.parts + member.parts, kMost);
        if (!isPacked(module_, type.result)) {
            all.alignment = std::max(all.alignment, member.alignment);
        }
    }
    all.size = std::min(alignUp(all.size, all.alignment), kMost);
    return all;
}

Id NaturalLayout::makeArray(Id type) {
    const Id element = module_.def(type).word(0);
    const auto stride = module_.decoration(type, spv::Decoration::ArrayStride);
    if (explicitType(element) == element && stride) return type;
    const Instruction& array = module_.def(type);
    Operands operands = array.operands;
    operands[0] = idOperand(explicitType(element));
    const Id made = module_.takeId();
    module_.append(Section::kGlobals, makeInstruction(array.opcode, 0, made, std::move(operands)));
    module_.decorate(made, spv::Decoration::ArrayStride,
                     {stride ? *stride : static_cast<uint32_t>(size(element))});
    return made;
}

Id NaturalLayout::makeStruct(Id type) {
    const Instruction& old = module_.def(type);
    Operands members;
    std::vector<std::pair<uint32_t, uint32_t>> offsets;  // of members that do not say theirs
    uint64_t end = 0;
    for (uint32_t m = 0; m < old.operands.size(); ++m) {
        members.push_back(idOperand(explicitType(old.word(m))));
        const uint64_t start = memberStart(old, m, end);
        if (!module_.memberDecoration(type, m, spv::Decoration::Offset)) {
            offsets.emplace_back(m, static_cast<uint32_t>(start));
        }
        end = start + size(old.word(m));
    }
    if (members == old.operands && offsets.empty()) return type;
    const Id made = module_.takeId();
    module_.append(Section::kGlobals,
                   makeInstruction(spv::Op::OpTypeStruct, 0, made, std::move(members)));
    const auto decorate = [&](Operands operands) {
        operands[0] = idOperand(made);
        module_.append(Section::kAnnotations,
                       makeInstruction(spv::Op::OpMemberDecorate, 0, 0, std::move(operands)));
    };
    const size_t count = module_.section(Section::kAnnotations).size();
    for (size_t a = 0; a < count; ++a) {
        const Instruction& i = *module_.section(Section::kAnnotations)[a];
        if (i.opcode == spv::Op::OpMemberDecorate && i.word(0) == type) decorate(i.operands);
    }
    for (const auto& [member, offset] : offsets) {
        decorate({{}, literal(member), literal(spv::Decoration::Offset), literal(offset)});
    }
    return made;
}

Id NaturalLayout::convert(Emitter& emit, Id value, Id type) const {
    const Id from = emit.typeOf(value);
    if (from == type) return value;
    const uint64_t count = memberCount(module_, type).value_or(0);
    std::vector<Id> members;
    for (uint32_t m = 0; m < count; ++m) {
        const Id member = emit.extract(memberType(module_, from, m), value, {m});
        members.push_back(convert(emit, member, memberType(module_, type, m)));
    }
    return emit.construct(type, members);
}

}  // namespace coopvk::rewrite
