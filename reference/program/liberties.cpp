// SPDX-License-Identifier: Apache-2.0
//
// What decorations and modes let devices make of an instruction beyond its own text.
#include <algorithm>
#include <iterator>

#include "execution/opcode_table.hpp"
#include "program/decoder.hpp"

namespace coopvk::reference {

void forFloats(const Type& type, const std::function<void(const Type& scalar)>& f) {
    if (type.kind == Kind::kFloat) f(type);
    for (const Member& member : type.members) forFloats(*member.type, f);
    if (type.element != nullptr && type.kind != Kind::kPointer) forFloats(*type.element, f);
}
void forFloats(const Program& program, const Instruction& i,
               const std::function<void(const Type& scalar)>& f) {
    if (i.type != nullptr) forFloats(*i.type, f);
    for (const Operand& operand : i.operands)
        if (operand.slot != kNone && program.slots[operand.slot].type != nullptr)
            forFloats(*program.slots[operand.slot].type, f);
}

uint32_t libertiesOf(const Program& program, const Instruction& i, const Program& modes) {
    uint32_t all = 0;
    forFloats(program, i, [&](const Type& type) { all |= modes.controls(type).liberties; });
    return all;
}

// SPV_KHR_float_controls2: a type without a default of its own has none if another one has.
void Decoder::readFastMathDefaults() {
    if (fastMathDefaults_.empty()) return;
    for (const uint32_t width : {16u, 32u, 64u}) program_->controls(width).liberties = 0;
    program_->otherControls.liberties = 0;
    for (const auto& [id, constant] : fastMathDefaults_) {
        const Type* of = type(id);
        if (of == nullptr) continue;
        const bool isIeee = of->number <= numbers::Number::f64;
        FloatControls& controls = isIeee ? program_->controls(of->width) : program_->otherControls;
        controls.liberties = constantOf(constant);
    }
}

// SPV_KHR_float_controls2 says more of an instruction than NoContraction.
bool Decoder::allows(const Instruction& i, spv::FPFastMathModeMask mode) const {
    const auto modes = decorations_.of(i.resultId, spv::Decoration::FPFastMathMode);
    if (modes) return (*modes & uint32_t(mode)) != 0;
    if (!fastMathDefaults_.empty())
        return (libertiesOf(*program_, i, *program_) & uint32_t(mode)) != 0;
    return !decorations_.has(i.resultId, spv::Decoration::NoContraction);
}

void Decoder::readLiberties(const Parsed& from, Instruction& to) {
    using enum spv::Decoration;
    constexpr auto kContract = uint32_t(spv::FPFastMathModeMask::AllowContract);
    to.mayContract = allows(to, spv::FPFastMathModeMask::AllowContract);
    // AllowContract: "The instructions producing the operands do not need to be decorated".
    to.isLoose = !decorations_.has(from.resultId, NoContraction);
    const auto modes = decorations_.of(from.resultId, FPFastMathMode);
    uint32_t liberties = modes ? *modes : libertiesOf(*program_, to, *program_);
    const auto add = [&](bool is, uint32_t liberty) { liberties |= is ? liberty : 0; };
    add(isRelaxed(from), kRelaxed);
    add(decorations_.has(from.resultId, NoSignedWrap), kNoSignedWrap);
    add(decorations_.has(from.resultId, NoUnsignedWrap), kNoUnsignedWrap);
    to.liberties = liberties & ~kContract;  // mayContract
    to.isDecorated = modes || (liberties & (kRelaxed | kNoSignedWrap | kNoUnsignedWrap)) != 0;
}

// SPIR-V, 2.14: "The Result <id> of an OpFunction, meaning the function's returned result is at
// relaxed precision"; and of what else is a value without being computed.
void Decoder::noteRelaxedMove(const Parsed& from) {
    constexpr spv::Op kMoves[] = {OpPhi, OpFunctionParameter, OpFunction, OpFunctionCall};
    const bool isMove =
        std::ranges::find(kMoves, from.opcode) != std::end(kMoves) || isConstant(nameOf(from));
    program_->relaxesMoves |=
        isMove && decorations_.has(from.resultId, spv::Decoration::RelaxedPrecision);
}

namespace {

struct ChainRow {
    spv::Op opcode;
    bool isUntyped, hasElement;
};
constexpr ChainRow kChains[] = {
    {OpAccessChain, false, false},
    {OpInBoundsAccessChain, false, false},
    {OpPtrAccessChain, false, true},
    {OpInBoundsPtrAccessChain, false, true},
    {OpUntypedAccessChainKHR, true, false},
    {OpUntypedInBoundsAccessChainKHR, true, false},
    {OpUntypedPtrAccessChainKHR, true, true},
    {OpUntypedInBoundsPtrAccessChainKHR, true, true},
};

const ChainRow* findChain(spv::Op opcode) {
    const auto* row = std::ranges::find(kChains, opcode, &ChainRow::opcode);
    return row == std::end(kChains) ? nullptr : row;
}

}  // namespace

// Whether a member of the type is.
bool Decoder::hasRelaxedMember(const Type* type) const {
    if (type == nullptr || type->kind == Kind::kPointer) return false;
    for (uint32_t n = 0; n < type->members.size(); ++n)
        if (decorations_.of(type->id, spv::Decoration::RelaxedPrecision, n) ||
            hasRelaxedMember(type->members[n].type))
            return true;
    return hasRelaxedMember(type->element);
}

// Of the pointer that it gives; and of what it points to, whether only parts are.
void Decoder::followRelaxed(const Parsed& from) {
    const auto& [opcode, isUntyped, hasElement] = *findChain(from.opcode);
    const uint32_t base = isUntyped ? 1 : 0;
    const Type* at = isUntyped ? type(from[0]) : nullptr;
    if (!isUntyped && slotOf(from[0]) != kNone) {
        const Type* const pointer = program_->slots[slotOf(from[0])].type;
        if (pointer->kind == Kind::kPointer) at = pointer->element;
    }
    bool is = isRelaxedPointer(from[base]);
    for (size_t n = base + 1 + hasElement; n < from.size() && at != nullptr && !is; ++n) {
        if (at->kind != Kind::kStruct) {
            at = at->element;
            continue;
        }
        const uint32_t member = constantOf(from[n]);
        if (member >= at->members.size()) return;
        is = decorations_.of(at->id, spv::Decoration::RelaxedPrecision, member).has_value();
        at = at->members[member].type;
    }
    if (is) relaxed_.insert(from.resultId);
}

// SPIR-V, 2.14: "When applied to a variable, all loads and stores from the decorated object may be
// treated as though they were decorated". Of what else accesses it, no rule is known.
bool Decoder::isRelaxed(const Parsed& from) {
    const bool isOwn =
        from.resultId != 0 && decorations_.has(from.resultId, spv::Decoration::RelaxedPrecision);
    if (findChain(from.opcode) != nullptr) {
        followRelaxed(from);
        return isOwn;
    }
    if (isOwn && from.opcode != OpVariable) return true;
    for (const Operand& operand : from.operands) {
        const uint32_t slot = operand.isId ? slotOf(operand.word) : kNone;
        if (slot == kNone || program_->slots[slot].type->kind != Kind::kPointer) continue;
        const Type& pointer = *program_->slots[slot].type;
        const bool isWhole = isRelaxedPointer(operand.word);
        if (!isWhole && !hasRelaxedMember(pointer.element)) continue;
        const bool isObject = from.opcode == OpStore && &operand != from.operands.data();
        if (isWhole && !isObject && (from.opcode == OpLoad || from.opcode == OpStore)) return true;
        program_->relaxesMoves = true;
    }
    return false;
}

}  // namespace coopvk::reference
