// SPDX-License-Identifier: Apache-2.0
//
// A SPIR-V module in memory: one instruction list per section of the logical layout (SPIR-V
// specification, section 2.4), and for each function a list of basic blocks. Parsing and
// serialising are exact inverses.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "coopvk/rewrite.hpp"
#include "ir/instruction.hpp"

namespace coopvk::rewrite {

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
    InstructionList lead;  // OpLine, OpNoLine ahead of the label
    InstructionPtr label;
    InstructionList body;  // everything after the label; the terminator comes last

    Id id() const { return label ? label->result : 0; }
};

struct Function {
    InstructionList lead;  // OpLine, OpNoLine, non-semantic instructions ahead of OpFunction
    InstructionPtr definition;
    InstructionList parameters;
    std::vector<std::unique_ptr<Block>> blocks;
    InstructionList endLead;  // debug lines between the last terminator and OpFunctionEnd
    InstructionPtr end;

    Id id() const { return definition ? definition->result : 0; }
};

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
    // visit(instruction), which may change it, for all instructions of blocks.
    template <typename Visit>
    void visitBlocks(Visit visit) const {
        for (const auto& function : functions_) {
            for (const auto& block : function->blocks) {
                for (const InstructionPtr& i : block->body) visit(*i);
            }
        }
    }

    uint32_t version() const { return version_; }
    Id bound() const { return bound_; }
    Id takeId() { return bound_++; }

    // The instruction that defines an id; an OpNop without operands if nothing does, so that
    // lookups in malformed modules fall through every comparison.
    const Instruction& def(Id id) const;
    // The same to change in place; nullptr if nothing defines the id.
    Instruction* edit(Id id) { return id < defs_.size() ? defs_[id] : nullptr; }
    void setDef(Instruction* instruction);
    // What a typed pointer points to; 0 for anything else.
    Id pointee(Id pointer) const;
    // Of a pointer of either kind.
    spv::StorageClass storage(Id pointer) const { return storageOf(def(def(pointer).type)); }

    // Keeps an instruction that is no longer part of the module: looking it up stays harmless.
    void retire(InstructionPtr instruction) { retired_.push_back(std::move(instruction)); }
    // Retires the instructions of a list for which isGone(instruction) is true; nothing may name
    // their results, which are returned.
    template <typename IsGone>
    std::unordered_set<Id> takeOut(InstructionList& list, IsGone isGone) {
        std::unordered_set<Id> gone;
        std::erase_if(list, [&](InstructionPtr& i) {
            if (!isGone(*i)) return false;
            gone.insert(i->result);
            retire(std::move(i));
            return true;
        });
        return gone;
    }

    // Appends to a section, registers the result, returns the instruction.
    Instruction& append(Section which, InstructionPtr instruction);

    bool hasCapability(spv::Capability capability) const;
    void addCapability(spv::Capability capability);
    void removeCapability(spv::Capability capability);
    void addExtension(std::string_view name);
    void removeExtension(std::string_view name);
    bool hasExtension(std::string_view name) const;
    // Id of an extended instruction set.
    Id importSet(std::string_view name);
    void addName(Id id, std::string_view name);
    void decorate(Id id, spv::Decoration decoration, std::initializer_list<uint32_t> literals = {});
    void decorateMember(Id type, uint32_t member, spv::Decoration decoration,
                        std::initializer_list<uint32_t> literals = {});
    // First literal of a decoration of an id (0 if it has none), or nullopt.
    std::optional<uint32_t> decoration(Id id, spv::Decoration decoration) const;

    // The same for a member of a structure type.
    std::optional<uint32_t> memberDecoration(Id type, uint32_t member,
                                             spv::Decoration decoration) const;
    void removeDecoration(Id id, spv::Decoration decoration);
    // What an id and its members are named and decorated with, for another id, too.
    void copyNamesAndDecorations(Id from, Id to);

    // After instructions were taken out: removes their names, decorations, execution modes and
    // places in interfaces. Looking them up gives an OpNop from now on.
    void forget(const std::unordered_set<Id>& gone);

    // Value of a scalar integer constant (OpConstant, OpConstantNull, OpUndef excluded), sign
    // extended where its type is signed.
    std::optional<uint64_t> constantValue(Id id) const;

    // Puts every global after the globals that it names (SPIR-V specification, section 2.4), so
    // that passes may append types in any order.
    void orderGlobals();

 private:
    friend class ModuleParser;

    std::array<InstructionList, static_cast<size_t>(Section::kCount)> sections_;
    std::vector<std::unique_ptr<Function>> functions_;
    InstructionList retired_;
    InstructionList tail_;  // what follows the last OpFunctionEnd
    std::vector<Instruction*> defs_;
    uint32_t version_ = 0x00010600;
    uint32_t generator_ = 0;
    uint32_t schema_ = 0;
    Id bound_ = 1;
};

// Whether an instruction gives an id, its first operand, a decoration.
inline bool decorates(const Instruction& i, spv::Decoration decoration) {
    return i.opcode == spv::Op::OpDecorate && i.word(1) == static_cast<uint32_t>(decoration);
}

// A SPIR-V literal string as operand words.
Operands stringOperands(std::string_view text);
std::string stringFromOperands(const Instruction& instruction, size_t first);

}  // namespace coopvk::rewrite
