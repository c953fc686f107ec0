// SPDX-License-Identifier: Apache-2.0
//
// A SPIR-V module in memory: a list of instructions for each section of the logical layout (SPIR-V
// specification, section 2.4), and a list of blocks for each function. serialise() of a parsed
// module gives the same words.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "coopvk/rewrite.hpp"
#include "ir/instruction.hpp"

namespace coopvk::rewrite {

// Universal limit on the id bound (SPIR-V specification, section 2.17).
inline constexpr uint32_t kMaxIdBound = 0x3FFFFF;

enum class Section : uint32_t {
    kCapabilities,
    kExtensions,
    kExtInstImports,
    kMemoryModel,
    kEntryPoints,
    kExecutionModes,
    kDebug,  // strings, sources, names
    kAnnotations,
    kGlobals,  // types, constants, module-scope variables
    kCount,
};

struct Block {
    InstructionList lead;  // OpLine and OpNoLine before the label
    InstructionPtr label;
    InstructionList body;  // all instructions after the label, up to the terminator

    Id id() const { return label ? label->result : 0; }
};

struct Function {
    InstructionList lead;  // OpLine, OpNoLine, non-semantic instructions before OpFunction
    InstructionPtr definition;
    InstructionList parameters;
    std::vector<std::unique_ptr<Block>> blocks;
    InstructionList endLead;  // debug lines between the last terminator and OpFunctionEnd
    InstructionPtr end;

    Id id() const { return definition ? definition->result : 0; }

    // Calls visit(instruction) for each instruction in a block; visit may change it.
    template <typename Visit>
    void visitBlocks(Visit visit) const {
        for (const auto& block : blocks) {
            for (const InstructionPtr& i : block->body) visit(*i);
        }
    }
};

// Thrown by a Module that does more than it may (Module::limitSteps). rewrite() turns it into an
// Error.
struct TooManySteps {};

class Module {
 public:
    static Result<Module> parse(std::span<const uint32_t> words);
    std::vector<uint32_t> serialise() const;

    InstructionList& section(Section which) { return sections_[static_cast<size_t>(which)]; }
    const InstructionList& section(Section which) const {
        return sections_[static_cast<size_t>(which)];
    }
    std::vector<std::unique_ptr<Function>>& functions() { return functions_; }
    const std::vector<std::unique_ptr<Function>>& functions() const { return functions_; }
    // Function::visitBlocks() of all functions.
    template <typename Visit>
    void visitBlocks(Visit visit) const {
        for (const auto& function : functions_) function->visitBlocks(std::ref(visit));
    }

    // The most steps (see Request::maxSteps); 0: no limit.
    void limitSteps(uint64_t most) { mostSteps_ = most == 0 ? UINT64_MAX : most; }
    uint64_t steps() const { return steps_; }
    // For walks that look nothing up.
    void countSteps(uint64_t count) const { takeSteps(count); }

    // Whether the device can keep denormals of f16, see preservesHalfDenormals().
    bool mayPreserveHalfDenormals() const { return mayPreserveHalfDenormals_; }
    void allowHalfDenormals(bool may) { mayPreserveHalfDenormals_ = may; }

    // Variables that passes have made Aliased.
    std::set<Id>& madeAliased() { return madeAliased_; }

    uint32_t version() const { return version_; }
    void requireVersion(uint32_t least) { version_ = std::max(version_, least); }
    Id bound() const { return bound_; }
    Id takeId() { return bound_++; }

    // The instruction that defines an id; if there is none, an OpNop without operands, which no
    // comparison with an opcode matches.
    const Instruction& def(Id id) const {
        takeSteps(1);
        return id < defs_.size() && defs_[id] != nullptr ? *defs_[id] : kNothing;
    }
    // The same, to change it in place; nullptr if there is none.
    Instruction* edit(Id id) { return id < defs_.size() ? defs_[id] : nullptr; }
    void setDef(Instruction* instruction);
    // The type that a typed pointer points to; 0 for other values.
    Id pointee(Id pointer) const;
    // Of a typed or untyped pointer.
    spv::StorageClass storage(Id pointer) const { return storageOf(def(def(pointer).type)); }

    // Keeps the memory of an instruction that the module no longer has: def() still finds it.
    void retire(InstructionPtr instruction) { retired_.push_back(std::move(instruction)); }
    // Retires the instructions of a list for which isGone(instruction) is true. Returns their
    // results, which no other instruction may use.
    template <typename IsGone>
    std::vector<Id> takeOut(InstructionList& list, IsGone isGone) {
        std::vector<Id> gone;
        std::erase_if(list, [&](InstructionPtr& i) {
            if (!isGone(*i)) return false;
            if (i->result != 0) gone.push_back(i->result);
            retire(std::move(i));
            return true;
        });
        return gone;
    }

    // Appends an instruction to a section and registers its result. Returns the instruction.
    Instruction& append(Section which, InstructionPtr instruction);

    bool hasCapability(spv::Capability capability) const;
    void addCapability(spv::Capability capability);
    void removeCapability(spv::Capability capability);
    void addExtension(std::string_view name);
    void removeExtension(std::string_view name);
    bool hasExtension(std::string_view name) const;
    // Removes the capabilities of an extension but those that a feature in `kept` allows, and the
    // extension if none is left.
    void removeDeclarations(const ExtensionInfo& extension, uint32_t kept = 0);
    // The id of an extended instruction set, which is imported if it is not yet.
    Id importSet(std::string_view name);
    void addName(Id id, std::string_view name);
    // The name of one id for another one that has none.
    void copyName(Id from, Id to);
    void decorate(Id id, spv::Decoration decoration, std::initializer_list<uint32_t> literals = {});
    void decorateMember(Id type, uint32_t member, spv::Decoration decoration,
                        std::initializer_list<uint32_t> literals = {});
    // The first literal of an id's decoration, 0 if that has none; nullopt without the decoration.
    std::optional<uint32_t> decoration(Id id, spv::Decoration decoration) const;
    // The same for a member of a structure type.
    std::optional<uint32_t> memberDecoration(Id type, uint32_t member,
                                             spv::Decoration decoration) const;
    void removeDecoration(Id id, spv::Decoration decoration);
    // Removes decorations for which isGone(instruction) is true: all such ones, or those of an id.
    // An OpNop stays in their place, which serialise() leaves out.
    template <typename IsGone>
    void removeDecorations(IsGone isGone) {
        for (const InstructionPtr& i : section(Section::kAnnotations)) {
            if (isGone(std::as_const(*i))) remove(*i);
        }
    }
    template <typename IsGone>
    void removeDecorationsOf(Id id, IsGone isGone) {
        const std::span<Instruction* const> found = annotationsOf(id);
        for (Instruction* i : std::vector(found.begin(), found.end())) {
            if (isGone(std::as_const(*i))) remove(*i);
        }
    }
    // The names and decorations of an id and of its members, in order.
    std::span<Instruction* const> annotationsOf(Id id) const;
    // Whether it has a decoration, or a member of it.
    bool isDecorated(Id id) const;
    // Gives `to` the names and decorations of `from` and its members.
    void copyNamesAndDecorations(Id from, Id to);

    // Removes names, decorations, execution modes and interface entries of ids whose instructions
    // were removed. def() gives an OpNop for them from now on.
    void forget(std::vector<Id> gone);
    void forget(const std::unordered_set<Id>& gone) {
        forget(std::vector(gone.begin(), gone.end()));
    }

    // Removes non-semantic instructions that name an id without an instruction, and those that name
    // such ones.
    void dropDanglingNonSemantic();
    // Removes an extended instruction set and its instructions, which only name each other.
    void removeSet(std::string_view name);

    // Of a boolean constant; nullopt for other ids.
    std::optional<bool> constantBool(Id id) const;
    // Value of an integer OpConstant or OpConstantNull, sign extended if its type is signed.
    std::optional<uint64_t> constantValue(Id id) const;

    // Moves each global after the globals that it names (SPIR-V specification, section 2.4), since
    // passes append types in any order.
    void orderGlobals();

 private:
    friend class ModuleParser;

    static const Instruction kNothing;

    void takeSteps(uint64_t count) const {
        steps_ += count;
        if (steps_ > mostSteps_) throw TooManySteps();
    }
    void annotate(Section which, InstructionPtr annotation);
    void remove(Instruction& annotation);
    // Removes instructions of extended sets from all lists that may have any. False: there were
    // none.
    bool removeExtended(const std::function<bool(const Instruction&)>& isGone);

    std::array<InstructionList, static_cast<size_t>(Section::kCount)> sections_;
    std::vector<std::unique_ptr<Function>> functions_;
    InstructionList retired_;
    InstructionList tail_;  // after the last OpFunctionEnd
    std::vector<Instruction*> defs_;
    // Names and decorations by target. Only append() and the functions above change these sections.
    std::unordered_map<Id, std::vector<Instruction*>> annotations_;
    uint32_t version_ = 0x00010600;
    uint32_t generator_ = 0;
    uint32_t schema_ = 0;
    Id bound_ = 1;
    bool mayPreserveHalfDenormals_ = false;
    std::set<Id> madeAliased_;
    mutable uint64_t steps_ = 0;
    uint64_t mostSteps_ = UINT64_MAX;
};

// Calls visit(instruction) for each instruction of sections, function headers and blocks; with
// nullptr for one that a malformed module lacks.
template <typename Visit>
void forEachInstruction(const Module& module, Visit visit) {
    const auto all = [&](const InstructionList& list) {
        for (const InstructionPtr& i : list) visit(i.get());
    };
    for (uint32_t s = 0; s < static_cast<uint32_t>(Section::kCount); ++s) {
        all(module.section(static_cast<Section>(s)));
    }
    for (const auto& function : module.functions()) {
        visit(function->definition.get());
        all(function->parameters);
        for (const auto& block : function->blocks) {
            visit(block->label.get());
            all(block->body);
        }
    }
}

// Whether an instruction gives its target, the first operand, a decoration.
inline bool decorates(const Instruction& i, spv::Decoration decoration) {
    return i.opcode == OpDecorate && i.word(1) == static_cast<uint32_t>(decoration);
}

// The same for OpMemberDecorate, whose second operand is the member.
inline bool decoratesMember(const Instruction& i, spv::Decoration decoration) {
    return i.opcode == OpMemberDecorate && i.word(2) == static_cast<uint32_t>(decoration);
}

// A SPIR-V literal string as operand words.
Operands stringOperands(std::string_view text);
std::string stringFromOperands(const Instruction& instruction, size_t first);

}  // namespace coopvk::rewrite
