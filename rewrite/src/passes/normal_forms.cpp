// SPDX-License-Identifier: Apache-2.0
//
// Normal forms of modules: one entry point, composites without replication, decorations without
// groups, access chains with indices, loops with a continue target of their own, no promises.
#include <algorithm>
#include <format>
#include <map>
#include <set>
#include <unordered_set>

#include "ir/arithmetic_decorations.hpp"
#include "ir/blocks.hpp"
#include "ir/composites.hpp"
#include "ir/control_flow.hpp"
#include "ir/entry_point.hpp"
#include "ir/opcodes.hpp"
#include "optimise/dead_code.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// A word count has 16 bits, and three words are opcode, type and result.
constexpr uint64_t kMostConstituents = 0xffff - 3;

// The opcode that replaces one of a replicated composite; OpNop for other opcodes.
spv::Op expanded(spv::Op opcode) {
    switch (opcode) {
        case OpConstantCompositeReplicateEXT:
            return OpConstantComposite;
        case OpSpecConstantCompositeReplicateEXT:
            return OpSpecConstantComposite;
        case OpCompositeConstructReplicateEXT:
            return OpCompositeConstruct;
        default:
            return OpNop;
    }
}

std::optional<uint64_t> constituents(const Module& module, Id type) {
    const spv::Op opcode = module.def(type).opcode;
    const bool isMatrix =
        opcode == OpTypeCooperativeMatrixKHR || opcode == OpTypeCooperativeMatrixNV;
    return isMatrix ? 1 : memberCount(module, type);
}

std::optional<Error> expand(const Module& module, Instruction& i) {
    const spv::Op opcode = expanded(i.opcode);
    if (opcode == OpNop) return std::nullopt;
    const std::optional<uint64_t> count = constituents(module, i.type);
    if (!count || *count > kMostConstituents || i.operands.size() != 1) {
        return Error{ErrorCode::kUnsupported,
                     std::format("replicated composite %{}: its type has too many constituents, or "
                                 "their number is not known",
                                 i.result)};
    }
    i.opcode = opcode;
    i.operands.assign(static_cast<size_t>(*count), Operand(i.operands[0]));
    return std::nullopt;
}

}  // namespace

std::optional<Error> expandReplicatedComposites(Module& module, bool isEmulated) {
    if (!module.hasCapability(spv::Capability::ReplicatedCompositesEXT)) return std::nullopt;
    std::optional<Error> error;
    bool isLeft = false;
    const auto visit = [&](Instruction& i) {
        isLeft = isLeft || expanded(i.opcode) != OpNop;
        if (isEmulated && !error) error = expand(module, i);
    };
    for (const InstructionPtr& i : module.section(Section::kGlobals)) visit(*i);
    module.visitBlocks(visit);
    if (error) return error;
    if (isLeft && !isEmulated) return std::nullopt;
    module.removeDeclarations(info(Extension::kExtShaderReplicatedComposites));
    return std::nullopt;
}

namespace {

// More decorations than compilers write; limits the memory that a hostile module can take.
constexpr size_t kMostCopies = size_t{1} << 20;

class Groups {
 public:
    explicit Groups(Module& module) : module_(module) {
        for (const InstructionPtr& i : annotations()) {
            if (i->opcode == OpDecorationGroup) groups_[i->result];
        }
        for (const InstructionPtr& i : annotations()) {
            if (isOfGroup(*i)) {
                groups_.at(i->word(0)).push_back(i.get());
            } else {
                present_.insert(wordsOf(*i));
            }
        }
    }

    std::optional<Error> flatten() {
        if (groups_.empty()) return std::nullopt;
        // By index: decorations are appended.
        for (size_t a = 0, end = annotations().size(); a < end; ++a) apply(*annotations()[a]);
        if (copies_ > kMostCopies) {
            return Error{ErrorCode::kUnsupported, "decoration groups have too many targets"};
        }
        module_.forget(module_.takeOut(
            annotations(), [](const Instruction& i) { return i.opcode == OpDecorationGroup; }));
        return std::nullopt;
    }

 private:
    static std::vector<uint32_t> wordsOf(const Instruction& i) {
        std::vector<uint32_t> words = {static_cast<uint32_t>(i.opcode)};
        for (const Operand& operand : i.operands) words.push_back(operand.word);
        return words;
    }

    InstructionList& annotations() { return module_.section(Section::kAnnotations); }

    bool isOfGroup(const Instruction& i) const {
        const bool decorates =
            i.opcode == OpDecorate || i.opcode == OpDecorateId || i.opcode == OpDecorateString;
        return decorates && groups_.contains(i.word(0));
    }

    void apply(const Instruction& i) {
        const bool ofMembers = i.opcode == OpGroupMemberDecorate;
        if (!ofMembers && i.opcode != OpGroupDecorate) return;
        const size_t step = ofMembers ? 2 : 1;
        for (size_t at = 1; at + step <= i.operands.size(); at += step) {
            decorate(i.word(0), std::span(i.operands).subspan(at, step));
        }
    }

    // `target`: an id, or a structure type and the number of a member. What it has already, perhaps
    // by another group, it does not get twice.
    void decorate(Id group, std::span<const Operand> target) {
        const auto found = groups_.find(group);
        if (found == groups_.end() || copies_ > kMostCopies) return;
        for (const Instruction* decoration : found->second) {
            ++copies_;
            Operands operands(target.begin(), target.end());
            operands.insert(operands.end(), decoration->operands.begin() + 1,
                            decoration->operands.end());
            spv::Op opcode = decoration->opcode;
            if (target.size() > 1) {
                opcode = opcode == OpDecorateString ? OpMemberDecorateString : OpMemberDecorate;
            }
            InstructionPtr copy = makeInstruction(opcode, 0, 0, std::move(operands));
            if (!present_.insert(wordsOf(*copy)).second) continue;
            module_.append(Section::kAnnotations, std::move(copy));
        }
    }

    Module& module_;
    std::map<Id, std::vector<const Instruction*>> groups_;  // with their decorations
    std::set<std::vector<uint32_t>> present_;               // decorations in words
    size_t copies_ = 0;
};

}  // namespace

std::optional<Error> flattenDecorationGroups(Module& module) { return Groups(module).flatten(); }

void dropSemanticDebugSets(Module& module) {
    for (const std::string_view set : {"OpenCL.DebugInfo.100", "DebugInfo"}) module.removeSet(set);
}

void copyBasesOfEmptyChains(Module& module) {
    module.visitBlocks([&](Instruction& i) {
        const bool isChain = isAccessChain(i.opcode) || isUntypedChain(i.opcode);
        if (!isChain || i.operands.size() != firstChainIndex(i.opcode)) return;
        const Operand base = i.operands.back();
        if (module.def(base.word).type != i.type) return;
        i.opcode = OpCopyObject;
        i.operands = {base};
    });
}

namespace {

// The OpLoopMerge of a header that is its loop's continue target; nullptr for other blocks.
Instruction* mergeOfShared(const Block& block) {
    return isLoopHeader(block) && mergeOf(block)->word(1) == block.id() ? mergeOf(block) : nullptr;
}

// The number of the one block that branches back to a header; nullopt if there is not just one.
std::optional<size_t> backEdgeTo(const BlockGraph& graph, size_t header) {
    const std::vector<size_t>& from = graph.predecessors(header);
    const auto found = std::ranges::lower_bound(from, header);
    return from.end() - found == 1 ? std::optional(*found) : std::nullopt;
}

// Loops whose header is their continue target: the OpLoopMerge, by the block that branches back.
std::map<size_t, Instruction*> sharedTargets(const Function& function) {
    std::map<size_t, Instruction*> found;
    std::optional<BlockGraph> graph;
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        Instruction* merge = mergeOfShared(*function.blocks[b]);
        if (merge == nullptr) continue;
        if (!graph) graph.emplace(function);
        if (const auto last = backEdgeTo(*graph, b)) found[*last] = merge;
    }
    return found;
}

// The number of the first instruction that ends a block: its OpSelectionMerge, if it has one.
size_t endOf(const InstructionList& body) {
    const size_t last = body.size() - 1;
    return last > 0 && body[last - 1]->opcode == OpSelectionMerge ? last - 1 : last;
}

}  // namespace

void separateContinueTargets(TypeTable& types) {
    for (const auto& function : types.module().functions()) {
        const std::map<size_t, Instruction*> targets = sharedTargets(*function);
        if (targets.empty()) continue;
        FunctionEditor editor(types, *function);
        for (size_t b = 0; b < function->blocks.size(); ++b) {
            editor.beginBlock(*function->blocks[b]);
            InstructionList& body = function->blocks[b]->body;
            const auto target = targets.find(b);
            const size_t end = target == targets.end() ? body.size() : endOf(body);
            editor.keep(body, 0, end);
            if (end < body.size()) target->second->operands[1].word = editor.split();
            editor.keep(body, end, body.size());
            editor.endBlock();
        }
        editor.finish();
    }
}

bool sharesContinueTarget(const Module& module) {
    return std::ranges::any_of(
        module.functions(), [](const auto& function) { return !sharedTargets(*function).empty(); });
}

std::optional<Error> keepOneEntryPoint(Module& module, std::string_view name, Stage stage) {
    InstructionList& entries = module.section(Section::kEntryPoints);
    const auto kept = std::ranges::find_if(entries, [&](const InstructionPtr& entry) {
        return stageOf(static_cast<spv::ExecutionModel>(entry->word(0))) == stage &&
               (name.empty() || stringFromOperands(*entry, 2) == name);
    });
    if (kept == entries.end()) {
        std::string shown(name);  // on one line, whatever the application says
        std::ranges::replace_if(
            shown, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
        return Error{
            ErrorCode::kInvalidArgument,
            std::format("the module has no entry point '{}' of stage {}", shown, stageName(stage))};
    }
    if (entries.size() == 1) return std::nullopt;
    std::iter_swap(entries.begin(), kept);
    for (size_t i = 1; i < entries.size(); ++i) module.retire(std::move(entries[i]));
    entries.resize(1);
    removeUnreachedFunctions(module);
    module.dropDanglingNonSemantic();
    return std::nullopt;
}

void dropPromises(Module& module) {
    std::unordered_set<Id> matrices;
    for (const InstructionPtr& i : module.section(Section::kGlobals))
        if (i->opcode == OpTypeCooperativeMatrixKHR) matrices.insert(i->result);
    matrices = typesWith(module, std::move(matrices));
    module.removeDecorations([&](const Instruction& i) {
        return isOneOf(i.opcode, {OpDecorate, OpDecorateId}) &&
               isUniform(spv::Decoration{i.word(1)}) &&
               matrices.contains(module.def(i.word(0)).type);
    });
    constexpr auto kPromises = static_cast<uint32_t>(spv::FunctionControlMask::Pure) |
                               static_cast<uint32_t>(spv::FunctionControlMask::Const);
    for (const auto& function : module.functions())
        function->definition->operands[0].word &= ~kPromises;
    constexpr auto kHints = static_cast<uint32_t>(spv::LoopControlMask::Unroll) |
                            static_cast<uint32_t>(spv::LoopControlMask::DontUnroll);
    module.visitBlocks([&](Instruction& i) {
        if (i.opcode != OpLoopMerge) return;
        i.operands[2].word &= kHints;
        i.operands.resize(3);  // all others are promises, or have literals
    });
}

}  // namespace coopvk::rewrite
