// SPDX-License-Identifier: Apache-2.0
#include "ir/module.hpp"

#include <algorithm>
#include <unordered_set>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// A word takes memory, too, up to 50 bytes: so many steps that the default limit bounds it.
constexpr uint64_t kStepsOfWord = 64;

// A module's words, with its own ids. Those of a module with gaps up to the limit of the bound
// would exceed it: they are numbered anew.
class Writer {
 public:
    explicit Writer(Id bound) : bound_(bound) {}

    void header(uint32_t version, uint32_t generator, uint32_t schema) {
        words_ = {spv::MagicNumber, version, generator, bound_, schema};
    }

    void write(const Instruction& instruction) {
        words_.push_back(firstWord(instruction.opcode, instruction.wordCount()));
        if (instruction.type != 0) words_.push_back(numbered(instruction.type));
        if (instruction.result != 0) words_.push_back(numbered(instruction.result));
        for (const Operand& operand : instruction.operands) {
            words_.push_back(operand.isId ? numbered(operand.word) : operand.word);
        }
    }

    void write(const InstructionList& list) {
        for (const InstructionPtr& instruction : list) write(*instruction);
    }

    std::vector<uint32_t> finish() {
        constexpr size_t kBound = 3;
        if (!numbers_.empty()) words_[kBound] = static_cast<uint32_t>(numbers_.size()) + 1;
        return std::move(words_);
    }

 private:
    Id numbered(Id id) {
        if (bound_ <= kMaxIdBound || id == 0) return id;
        return numbers_.try_emplace(id, static_cast<Id>(numbers_.size()) + 1).first->second;
    }

    const Id bound_;
    std::unordered_map<Id, Id> numbers_;
    std::vector<uint32_t> words_;
};

}  // namespace

std::vector<uint32_t> Module::serialise() const {
    Writer writer(bound_);
    writer.header(version_, generator_, schema_);
    for (const InstructionList& list : sections_) {
        const bool annotates =
            &list == &section(Section::kDebug) || &list == &section(Section::kAnnotations);
        for (const InstructionPtr& i : list) {
            // A name or a decoration that was removed.
            if (!annotates || i->opcode != OpNop) writer.write(*i);
        }
    }
    for (const auto& function : functions_) {
        writer.write(function->lead);
        writer.write(*function->definition);
        writer.write(function->parameters);
        for (const auto& block : function->blocks) {
            writer.write(block->lead);
            writer.write(*block->label);
            writer.write(block->body);
        }
        writer.write(function->endLead);
        writer.write(*function->end);
    }
    writer.write(tail_);
    return writer.finish();
}

const Instruction Module::kNothing;

void Module::setDef(Instruction* instruction) {
    takeSteps(kStepsOfWord * instruction->wordCount());
    const Id id = instruction->result;
    if (id == 0) return;
    if (id >= defs_.size()) defs_.resize(id + 1, nullptr);
    defs_[id] = instruction;
}

Id Module::pointee(Id pointer) const {
    const Instruction& type = def(def(pointer).type);
    return type.opcode == OpTypePointer ? type.word(1) : 0;
}

Instruction& Module::append(Section which, InstructionPtr instruction) {
    setDef(instruction.get());
    const bool annotates = which == Section::kDebug || which == Section::kAnnotations;
    const Operands& operands = instruction->operands;
    if (annotates && !operands.empty() && operands[0].isId) {
        annotations_[operands[0].word].push_back(instruction.get());
    }
    section(which).push_back(std::move(instruction));
    return *section(which).back();
}

bool Module::hasCapability(spv::Capability capability) const {
    return std::ranges::any_of(section(Section::kCapabilities), [&](const InstructionPtr& i) {
        return i->word(0) == static_cast<uint32_t>(capability);
    });
}

void Module::addCapability(spv::Capability capability) {
    if (hasCapability(capability)) return;
    append(Section::kCapabilities, makeInstruction(OpCapability, 0, 0, {literal(capability)}));
}

void Module::removeCapability(spv::Capability capability) {
    std::erase_if(section(Section::kCapabilities), [&](const InstructionPtr& i) {
        return i->word(0) == static_cast<uint32_t>(capability);
    });
}

bool Module::hasExtension(std::string_view name) const {
    return std::ranges::any_of(section(Section::kExtensions), [&](const InstructionPtr& i) {
        return stringFromOperands(*i, 0) == name;
    });
}

void Module::addExtension(std::string_view name) {
    if (hasExtension(name)) return;
    append(Section::kExtensions, makeInstruction(OpExtension, 0, 0, stringOperands(name)));
}

void Module::removeExtension(std::string_view name) {
    std::erase_if(section(Section::kExtensions),
                  [&](const InstructionPtr& i) { return stringFromOperands(*i, 0) == name; });
}

void Module::removeDeclarations(const ExtensionInfo& extension, uint32_t kept) {
    bool keeps = false;
    for (const ExtensionCapability& one : extension.capabilities) {
        const auto capability = static_cast<spv::Capability>(one.capability);
        if ((one.features & kept) == 0) removeCapability(capability);
        keeps |= hasCapability(capability);
    }
    if (!keeps) removeExtension(extension.spirvName);
}

Id Module::importSet(std::string_view name) {
    Operands operands = stringOperands(name);
    for (const InstructionPtr& i : section(Section::kExtInstImports)) {
        if (i->operands == operands) return i->result;
    }
    const Id id = takeId();
    append(Section::kExtInstImports, makeInstruction(OpExtInstImport, 0, id, std::move(operands)));
    return id;
}

std::optional<bool> Module::constantBool(Id id) const {
    const Instruction& i = def(id);
    if (i.opcode == OpConstantTrue) return true;
    const bool isFalse = i.opcode == OpConstantFalse ||
                         (i.opcode == OpConstantNull && def(i.type).opcode == OpTypeBool);
    return isFalse ? std::optional(false) : std::nullopt;
}

std::optional<uint64_t> Module::constantValue(Id id) const {
    const Instruction& constant = def(id);
    const Instruction& type = def(constant.type);
    if (type.opcode != OpTypeInt) return std::nullopt;
    if (constant.opcode == OpConstantNull) return 0;
    if (constant.opcode != OpConstant) return std::nullopt;
    const uint64_t low = constant.word(0);
    if (type.word(0) == 64) return low | static_cast<uint64_t>(constant.word(1)) << 32;
    const bool isSigned = type.word(1) != 0;
    return isSigned ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(low))) : low;
}

namespace {

// Sorts globals by dependency, depth first. OpLine moves with the instruction that follows it.
// Extended instructions (debug information), which only such instructions name, keep their order.
class GlobalOrder {
 public:
    explicit GlobalOrder(InstructionList& globals) {
        InstructionList lines;
        for (InstructionPtr& instruction : globals) {
            const spv::Op opcode = instruction->opcode;
            if (opcode == OpLine || opcode == OpNoLine) {
                lines.push_back(std::move(instruction));
                continue;
            }
            if (opcode == OpTypeForwardPointer) forward_.insert(instruction->word(0));
            if (instruction->result != 0) byResult_[instruction->result] = nodes_.size();
            nodes_.push_back({std::move(lines), std::move(instruction), false});
            lines.clear();
        }
        trailing_ = std::move(lines);
    }

    InstructionList sorted() {
        for (Node& node : nodes_) emit(node);
        for (InstructionPtr& line : trailing_) out_.push_back(std::move(line));
        checkForwardReferences();
        return std::move(out_);
    }

 private:
    struct Node {
        InstructionList lines;
        InstructionPtr instruction;
        bool isEmitted;
        size_t named = 0;  // how many ids it names that are emitted: its type, then operands
    };

    // Ahead of a node, what it names; not by recursion, since chains of constants may be long.
    void emit(Node& node) {
        std::vector<Node*> open;
        if (!std::exchange(node.isEmitted, true)) open.push_back(&node);
        while (!open.empty()) {
            Node& last = *open.back();
            const Instruction& i = *last.instruction;
            Node* ahead = nullptr;
            while (ahead == nullptr && last.named <= i.operands.size()) {
                const size_t n = last.named++;
                if (n == 0) {
                    ahead = missing(i.type);
                } else if (i.operands[n - 1].isId) {
                    ahead = missing(i.word(n - 1));
                }
            }
            if (ahead != nullptr) open.push_back(ahead);
            if (ahead != nullptr) continue;
            for (InstructionPtr& line : last.lines) out_.push_back(std::move(line));
            out_.push_back(std::move(last.instruction));
            open.pop_back();
        }
    }

    // The definition of an id, if it is to be emitted now.
    Node* missing(Id id) {
        // Globals may name a pointer between its forward declaration and its definition.
        const auto found = forward_.contains(id) ? byResult_.end() : byResult_.find(id);
        if (found == byResult_.end()) return nullptr;
        Node& node = nodes_[found->second];
        if (node.isEmitted || isExtInst(node.instruction->opcode)) return nullptr;
        node.isEmitted = true;
        return &node;
    }

    // OpExtInstWithForwardRefsKHR must have a forward reference
    // (SPV_KHR_relaxed_extended_instruction).
    void checkForwardReferences() {
        std::unordered_set<Id> later;
        for (size_t i = out_.size(); i-- > 0;) {
            Instruction& instruction = *out_[i];
            later.insert(instruction.result);
            const bool isForward = std::ranges::any_of(instruction.operands, [&](const Operand& o) {
                return o.isId && later.contains(o.word);
            });
            if (instruction.opcode == OpExtInstWithForwardRefsKHR && !isForward) {
                instruction.opcode = OpExtInst;
            }
        }
    }

    std::vector<Node> nodes_;
    std::unordered_map<Id, size_t> byResult_;
    std::unordered_set<Id> forward_;
    InstructionList trailing_;
    InstructionList out_;
};

}  // namespace

void Module::orderGlobals() {
    InstructionList& globals = section(Section::kGlobals);
    globals = GlobalOrder(globals).sorted();
}

Operands stringOperands(std::string_view text) {
    Operands operands(text.size() / 4 + 1, literal(0u));
    for (size_t i = 0; i < text.size(); ++i) {
        operands[i / 4].word |= static_cast<uint32_t>(static_cast<unsigned char>(text[i]))
                                << 8 * (i % 4);
    }
    return operands;
}

std::string stringFromOperands(const Instruction& instruction, size_t first) {
    std::string text;
    for (size_t i = first; i < instruction.operands.size(); ++i) {
        for (uint32_t byte = 0; byte < 4; ++byte) {
            const char c = static_cast<char>(instruction.operands[i].word >> 8 * byte & 0xFF);
            if (c == '\0') return text;
            text.push_back(c);
        }
    }
    return text;
}

}  // namespace coopvk::rewrite
