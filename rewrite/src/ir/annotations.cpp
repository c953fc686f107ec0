// SPDX-License-Identifier: Apache-2.0
//
// Names and decorations of a module's ids.
#include <algorithm>

#include "ir/arithmetic_decorations.hpp"
#include "ir/component_kinds.hpp"
#include "ir/module.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

Operands withLiterals(Operands operands, std::initializer_list<uint32_t> literals) {
    for (const uint32_t word : literals) operands.push_back(literal(word));
    return operands;
}

}  // namespace

void Module::annotate(Section which, InstructionPtr annotation) {
    annotations_[annotation->word(0)].push_back(annotation.get());
    // OpModuleProcessed must come after names.
    InstructionList& list = section(which);
    auto end = list.end();
    while (end != list.begin() && end[-1]->opcode == OpModuleProcessed) --end;
    list.insert(end, std::move(annotation));
}

std::span<Instruction* const> Module::annotationsOf(Id id) const {
    const auto found = annotations_.find(id);
    if (found == annotations_.end()) return {};
    return found->second;
}

void Module::addName(Id id, std::string_view name) {
    Operands operands = {idOperand(id)};
    rewrite::append(operands, stringOperands(name));
    annotate(Section::kDebug, makeInstruction(OpName, 0, 0, std::move(operands)));
}

void Module::copyName(Id from, Id to) {
    const auto isName = [](const Instruction* i) { return i->opcode == OpName; };
    const std::span<Instruction* const> all = annotationsOf(from);
    const auto name = std::ranges::find_if(all, isName);
    if (name == all.end() || std::ranges::any_of(annotationsOf(to), isName)) return;
    Operands operands = (*name)->operands;
    operands[0] = idOperand(to);
    annotate(Section::kDebug, makeInstruction(OpName, 0, 0, std::move(operands)));
}

void Module::decorate(Id id, spv::Decoration decoration, std::initializer_list<uint32_t> literals) {
    annotate(Section::kAnnotations,
             makeInstruction(OpDecorate, 0, 0,
                             withLiterals({idOperand(id), literal(decoration)}, literals)));
}

void Module::decorateMember(Id type, uint32_t member, spv::Decoration decoration,
                            std::initializer_list<uint32_t> literals) {
    annotate(Section::kAnnotations,
             makeInstruction(
                 OpMemberDecorate, 0, 0,
                 withLiterals({idOperand(type), literal(member), literal(decoration)}, literals)));
}

std::optional<uint32_t> Module::decoration(Id id, spv::Decoration decoration) const {
    for (const Instruction* i : annotationsOf(id)) {
        if (decorates(*i, decoration)) return i->word(2);
    }
    return std::nullopt;
}

std::optional<uint32_t> Module::memberDecoration(Id type, uint32_t member,
                                                 spv::Decoration decoration) const {
    for (const Instruction* i : annotationsOf(type)) {
        if (decoratesMember(*i, decoration) && i->word(1) == member) return i->word(3);
    }
    return std::nullopt;
}

void Module::remove(Instruction& annotation) {
    std::erase(annotations_[annotation.word(0)], &annotation);
    annotation = {};
}

bool Module::isDecorated(Id id) const {
    return std::ranges::any_of(annotationsOf(id), [](const Instruction* i) {
        return !isOneOf(i->opcode, {OpName, OpMemberName, OpNop});
    });
}

void Module::removeDecoration(Id id, spv::Decoration decoration) {
    removeDecorationsOf(id, [&](const Instruction& i) { return decorates(i, decoration); });
}

void Module::forget(std::vector<Id> gone) {
    std::ranges::sort(gone);
    const auto isGone = [&](const Operand& o) {
        return o.isId && std::ranges::binary_search(gone, o.word);
    };
    const auto removeFrom = [&](Operands& operands) {
        operands.erase(std::ranges::remove_if(operands, isGone).begin(), operands.end());
    };
    for (const Id id : gone) {
        if (const auto found = annotations_.find(id); found != annotations_.end()) {
            for (Instruction* i : found->second) *i = {};
            annotations_.erase(found);
        }
        if (id < defs_.size()) defs_[id] = nullptr;
    }
    std::erase_if(section(Section::kExecutionModes), [&](const InstructionPtr& i) {
        return !i->operands.empty() && isGone(i->operands[0]);
    });
    for (const InstructionPtr& i : section(Section::kAnnotations)) {
        if (i->opcode == OpGroupDecorate) removeFrom(i->operands);
    }
    for (const InstructionPtr& entry : section(Section::kEntryPoints)) {
        removeFrom(entry->operands);
    }
}

void Module::copyNamesAndDecorations(Id from, Id to) {
    const std::span<Instruction* const> found = annotationsOf(from);
    for (const Instruction* i : std::vector(found.begin(), found.end())) {
        const bool names = i->opcode == OpName || i->opcode == OpMemberName;
        if (!names && i->opcode != OpDecorate && i->opcode != OpMemberDecorate) continue;
        auto copy = std::make_unique<Instruction>(*i);
        copy->operands[0].word = to;
        annotate(names ? Section::kDebug : Section::kAnnotations, std::move(copy));
    }
}

// Extended instructions that say nothing of what the module computes.

bool Module::removeExtended(const std::function<bool(const Instruction&)>& isGone) {
    std::vector<Id> gone;
    const auto visit = [&](InstructionList& list) {
        const std::vector<Id> more =
            takeOut(list, [&](const Instruction& i) { return isExtInst(i.opcode) && isGone(i); });
        gone.insert(gone.end(), more.begin(), more.end());
    };
    visit(section(Section::kGlobals));
    for (const auto& function : functions_) {
        visit(function->lead);
        visit(function->parameters);
        for (const auto& block : function->blocks) {
            visit(block->lead);
            visit(block->body);
        }
        visit(function->endLead);
    }
    visit(tail_);
    forget(gone);
    return !gone.empty();
}

void Module::dropDanglingNonSemantic() {
    const auto names = [&](const Instruction& i) {
        return isNonSemantic(*this, i) && std::ranges::any_of(i.operands, [&](const Operand& o) {
                   return o.isId && def(o.word).result == 0;
               });
    };
    const auto isOfNotes = [](const InstructionPtr& i) {
        return stringFromOperands(*i, 0).starts_with("NonSemantic.");
    };
    if (std::ranges::none_of(section(Section::kExtInstImports), isOfNotes)) return;
    while (removeExtended(names)) {
    }
}

void Module::removeSet(std::string_view name) {
    const auto isImport = [&](const Instruction& i) { return stringFromOperands(i, 0) == name; };
    InstructionList& imports = section(Section::kExtInstImports);
    const auto found = std::ranges::find_if(imports, [&](const auto& i) { return isImport(*i); });
    if (found == imports.end()) return;
    const Id set = (*found)->result;
    removeExtended([&](const Instruction& i) { return i.word(0) == set; });
    forget(takeOut(imports, isImport));
}

namespace {

enum class Fate {
    kMoves,    // to the instructions that compute the parts
    kDropped,  // it only permits: some drivers reject it on arrays
    kUniform,  // not true of a value of which each invocation holds another part
};

struct DecorationRow {
    spv::Decoration decoration;
    Fate fate = Fate::kMoves;
    bool hasLiteral = false;
};

// The decorations that a module for Vulkan may give to the result of an instruction that computes a
// value. All others stay true and valid: NonUniform and those of SPV_GOOGLE_user_type on any
// value, those of memory, interfaces and types on variables, pointers and types.
constexpr DecorationRow kDecorationRows[] = {
    {spv::Decoration::NoContraction},
    {spv::Decoration::NoSignedWrap},
    {spv::Decoration::NoUnsignedWrap},
    {spv::Decoration::FPFastMathMode, Fate::kMoves, true},
    {spv::Decoration::FPRoundingMode, Fate::kMoves, true},
    {spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT},
    {spv::Decoration::RelaxedPrecision, Fate::kDropped},
    {spv::Decoration::Uniform, Fate::kUniform},
    {spv::Decoration::UniformId, Fate::kUniform},
};

const DecorationRow* findRow(spv::Decoration decoration) {
    const auto found = std::ranges::find(kDecorationRows, decoration, &DecorationRow::decoration);
    return found == std::end(kDecorationRows) ? nullptr : found;
}

bool hasFate(spv::Decoration decoration, Fate fate) {
    const DecorationRow* row = findRow(decoration);
    return row != nullptr && row->fate == fate;
}

}  // namespace

bool decoratesArithmetic(const Instruction& i) {
    return i.opcode == OpDecorate && hasFate(static_cast<spv::Decoration>(i.word(1)), Fate::kMoves);
}

bool isOfParts(spv::Decoration decoration) {
    return hasFate(decoration, Fate::kMoves) || hasFate(decoration, Fate::kDropped);
}

bool isUniform(spv::Decoration decoration) { return hasFate(decoration, Fate::kUniform); }

ArithmeticDecorations::ArithmeticDecorations(Module& module, Id result) : module_(module) {
    for (const Instruction* i : module.annotationsOf(result)) {
        if (!decoratesArithmetic(*i)) continue;
        found_.emplace_back(static_cast<spv::Decoration>(i->word(1)), i->word(2));
    }
}

void ArithmeticDecorations::addTo(Id part) const {
    for (const auto& [decoration, value] : found_) {
        if (findRow(decoration)->hasLiteral) {
            module_.decorate(part, decoration, {value});
        } else {
            module_.decorate(part, decoration);
        }
    }
}

void ArithmeticDecorations::appendTo(std::vector<uint32_t>& words) const {
    for (const auto& [decoration, value] : found_) {
        words.insert(words.end(), {static_cast<uint32_t>(decoration), value});
    }
}

void ArithmeticDecorations::removeFrom(Id result) const {
    for (const auto& [decoration, value] : found_) module_.removeDecoration(result, decoration);
}

bool isFastMathDefault(const Instruction& i) {
    return i.opcode == OpExecutionModeId &&
           i.word(1) == static_cast<uint32_t>(spv::ExecutionMode::FPFastMathDefault);
}

std::optional<uint32_t> fastMathDefault(const Module& module, Id scalar) {
    std::optional<uint32_t> flags;
    for (const InstructionPtr& i : module.section(Section::kExecutionModes)) {
        if (!isFastMathDefault(*i)) continue;
        const uint32_t ofType =
            i->word(2) != scalar
                ? 0u
                : static_cast<uint32_t>(module.constantValue(i->word(3)).value_or(0));
        flags = flags.value_or(0) | ofType;
    }
    return flags;
}

namespace {

constexpr uint32_t kRearranging = static_cast<uint32_t>(spv::FPFastMathModeMask::AllowContract) |
                                  static_cast<uint32_t>(spv::FPFastMathModeMask::AllowReassoc) |
                                  static_cast<uint32_t>(spv::FPFastMathModeMask::AllowTransform);

}  // namespace

bool forbidsContraction(const Module& module, Id result) {
    if (module.decoration(result, spv::Decoration::NoContraction)) return true;
    constexpr auto kFast = static_cast<uint32_t>(spv::FPFastMathModeMask::Fast);
    std::optional<uint32_t> mode = module.decoration(result, spv::Decoration::FPFastMathMode);
    if (!mode) mode = fastMathDefault(module, componentOf(module, module.def(result).type));
    return mode && (*mode & (kRearranging | kFast)) == 0;
}

void forbidContraction(Module& module, Id result) {
    const std::optional<uint32_t> flags =
        fastMathDefault(module, componentOf(module, module.def(result).type));
    if (!flags) {
        module.decorate(result, spv::Decoration::NoContraction);
        return;
    }
    if ((*flags & kRearranging) == 0) return;
    module.decorate(result, spv::Decoration::FPFastMathMode, {*flags & ~kRearranging});
}

void computeExactly(Module& module, Id result) {
    const std::optional<uint32_t> flags =
        fastMathDefault(module, componentOf(module, module.def(result).type));
    if (!flags)
        module.decorate(result, spv::Decoration::NoContraction);
    else if (*flags != 0)
        module.decorate(result, spv::Decoration::FPFastMathMode, {0});
}

}  // namespace coopvk::rewrite
