// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <ranges>

#include "ir/cloner.hpp"
#include "ir/composites.hpp"
#include "ir/control_flow.hpp"
#include "ir/effects.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "tensor/load_order.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

constexpr size_t kMaxTogether = 4;

// A group of loads, and the instructions between them.
class Group {
 public:
    Group(const Module& module, const Effects& effects) : module_(module), effects_(effects) {}

    bool isEmpty() const { return loads_.empty(); }
    bool takes(const Instruction& load) const {
        return loads_.size() < kMaxTogether && !needsLoaded(load);
    }

    void addLoad(InstructionPtr load) {
        later_.insert(load->result);
        changesPrivate_ |= (effects_.of(*load) & (kChanges & ~kWritesInFunction)) != 0;
        loads_.push_back(std::move(load));
    }

    // Whether the instruction may move ahead of the group's loads, or behind all of them.
    bool letsPass(const Instruction& i) const { return isFree(i) || isStoreOfLoaded(i); }

    void pass(InstructionPtr i) {
        if (isFree(*i)) {
            ahead_.push_back(std::move(i));
            return;
        }
        later_.insert(i->word(0));
        behind_.push_back(std::move(i));
    }

    void appendTo(InstructionList& body, std::set<Id>& followed) {
        append(body, ahead_);
        for (size_t i = 0; i + 1 < loads_.size(); ++i) followed.insert(loads_[i]->result);
        append(body, loads_);
        append(body, behind_);
        later_.clear();
        changesPrivate_ = false;
    }

 private:
    static void append(InstructionList& body, InstructionList& part) {
        std::ranges::move(part, std::back_inserter(body));
        part.clear();
    }

    bool needsLoaded(const Instruction& i) const {
        return std::ranges::any_of(
            i.operands, [&](const Operand& o) { return o.isId && later_.contains(o.word); });
    }

    // Whether it stores to a whole variable of the function.
    bool storesToVariable(const Instruction& i) const {
        if (i.opcode != OpStore) return false;
        const Instruction& pointer = module_.def(i.word(0));
        return isVariable(pointer.opcode) && storageOf(pointer) == spv::StorageClass::Function;
    }

    bool isFree(const Instruction& i) const {
        if (needsLoaded(i)) return false;
        if (i.opcode == OpLoad) return readsWhatStays(i);
        if (i.opcode == OpStore) return storesToVariable(i);
        return onlyComputes(effectsOf(module_, i));
    }

    // Whether neither the loads nor the stores that move behind them change what is read.
    bool readsWhatStays(const Instruction& load) const {
        using enum spv::StorageClass;
        const Id root = rootOf(module_, load.word(0));
        const spv::StorageClass storage = module_.storage(root);
        if (storage == Private) return !changesPrivate_;
        if (storage == Function)
            return isVariable(module_.def(root).opcode) && !later_.contains(root);
        return storage == PushConstant || storage == Input;
    }

    // Whether it stores what was loaded to a whole variable of the function, which no instruction
    // behind the loads accesses so far: then it may move behind them.
    bool isStoreOfLoaded(const Instruction& i) const {
        const auto isResult = [&](const InstructionPtr& load) { return load->result == i.word(1); };
        return storesToVariable(i) && i.operands.size() == 2 && !later_.contains(i.word(0)) &&
               std::ranges::any_of(loads_, isResult);
    }

    const Module& module_;
    const Effects& effects_;
    InstructionList ahead_, loads_, behind_;
    std::set<Id> later_;           // what is loaded, and variables that it is stored to
    bool changesPrivate_ = false;  // a function that decodes for a load has side effects
};

}  // namespace

std::set<Id> gatherTensorLoads(Module& module) {
    std::set<Id> followed;
    const Effects effects(module);
    for (const auto& function : module.functions()) {
        for (const auto& block : function->blocks) {
            InstructionList body;
            Group group(module, effects);
            for (InstructionPtr& i : block->body) {
                const bool joins = isTensorLoad(*i) && group.takes(*i);
                if (!group.isEmpty() && !joins && !group.letsPass(*i)) {
                    group.appendTo(body, followed);
                }
                if (isTensorLoad(*i)) {
                    group.addLoad(std::move(i));
                } else if (group.isEmpty()) {
                    body.push_back(std::move(i));
                } else {
                    group.pass(std::move(i));
                }
            }
            group.appendTo(body, followed);
            block->body = std::move(body);
        }
    }
    return followed;
}

namespace {

bool namesAny(const Instruction& i, const std::set<Id>& ids) {
    return std::ranges::any_of(i.operands,
                               [&](const Operand& o) { return o.isId && ids.contains(o.word); });
}

// Instructions of a block that both versions have, from the first load on.
struct Range {
    size_t first = 0, end = 0;
};

class Duplicator {
 public:
    Duplicator(TypeTable& types, Function& function, std::set<Id>& followed, LoadVersions& versions)
        : module_(types.module()),
          types_(types),
          function_(function),
          editor_(types, function),
          users_(function),
          followed_(followed),
          versions_(versions) {}

    void run();

 private:
    // A copy of a range.
    struct Version {
        Cloner copies;
        Id block = 0;
    };

    std::optional<Range> nextRange(const InstructionList& body, size_t from) const;
    void duplicate(InstructionList& body, Range range);
    void copyTo(Version& version, std::span<const InstructionPtr> range);
    void noteVersions(std::span<const InstructionPtr> range, Id condition, const Cloner& fastest,
                      const Cloner& others);
    void joinResults(InstructionList& body, Range range, const Version& first,
                     const Version& second);

    Module& module_;
    TypeTable& types_;
    Function& function_;
    FunctionEditor editor_;
    const Users users_;
    size_t block_ = 0;  // number of the current block
    std::set<Id>& followed_;
    LoadVersions& versions_;
};

// From a group of loads to the last product that uses what they load, and the stores behind it.
std::optional<Range> Duplicator::nextRange(const InstructionList& body, size_t from) const {
    Range range;
    std::set<Id> loaded;  // values, and variables that they are stored to
    bool isInGroup = false;
    for (size_t at = from; at < body.size(); ++at) {
        const Instruction& i = *body[at];
        if (isTensorLoad(i)) {
            if (!isInGroup) {
                if (range.end != 0) break;
                loaded.clear();
                range.first = at;
            }
            isInGroup = followed_.contains(i.result);
            loaded.insert(i.result);
        } else if (!loaded.empty() && endsProduct(module_, i)) {
            range.end = at + 1;
        } else if (namesAny(i, loaded)) {
            const bool stores = i.opcode == OpStore;
            loaded.insert(stores ? i.word(0) : i.result);
            const bool multiplies = i.opcode == OpCooperativeMatrixMulAddKHR;
            const bool isNextStore = stores && range.end == at;
            if (multiplies || isNextStore) range.end = at + 1;
        }
    }
    if (range.end == 0) return std::nullopt;
    return range;
}

void Duplicator::copyTo(Version& version, std::span<const InstructionPtr> range) {
    for (const InstructionPtr& i : range) editor_.emit().add(version.copies.copy(*i));
    version.block = editor_.label();
}

void Duplicator::noteVersions(std::span<const InstructionPtr> range, Id condition,
                              const Cloner& fastest, const Cloner& others) {
    for (const InstructionPtr& i : range) {
        if (!isTensorLoad(*i)) continue;
        const Id first = fastest(i->result), second = others(i->result);
        versions_.loads[condition].push_back(&module_.def(first));
        versions_.fastest.insert(first);
        versions_.others.insert(second);
        if (followed_.erase(i->result) != 0) followed_.insert({first, second});
    }
}

// Whether a phi may join values of a type. A shader has no phis of pointers into logical memory,
// nor of images and samplers.
bool mayBeJoined(const Module& module, Id type) {
    const Instruction& def = module.def(type);
    if (isPointerType(def.opcode)) {
        return storageOf(def) == spv::StorageClass::PhysicalStorageBuffer;
    }
    return !isOneOf(def.opcode, {OpTypeImage, OpTypeSampler, OpTypeSampledImage,
                                 OpTypeAccelerationStructureKHR});
}

// Gives the results that later instructions use their ids again: phis join them, or the
// instruction that gives them moves behind the versions.
void Duplicator::joinResults(InstructionList& body, Range range, const Version& first,
                             const Version& second) {
    InstructionList phis, moved;
    std::set<const Instruction*> later;  // those that are moved
    for (size_t at = range.end; at-- > range.first;) {
        InstructionPtr& i = body[at];
        const bool isUsed = users_.any(i->result, [&](const Usage& use) {
            return use.position.block != block_ || use.position.at >= range.end ||
                   later.contains(use.user);
        });
        if (isUsed && i->opcode != OpFunctionCall && !mayBeJoined(module_, i->type)) {
            later.insert(i.get());
            moved.push_back(std::move(i));
            continue;
        }
        if (isUsed) {
            const Id result = i->result;
            phis.push_back(
                makeInstruction(OpPhi, i->type, result,
                                {idOperand(first.copies(result)), idOperand(first.block),
                                 idOperand(second.copies(result)), idOperand(second.block)}));
        }
        module_.retire(std::move(i));
    }
    for (InstructionList* list : {&phis, &moved}) {
        for (InstructionPtr& i : std::views::reverse(*list)) editor_.emit().add(std::move(i));
    }
}

void Duplicator::duplicate(InstructionList& body, Range range) {
    const auto instructions = std::span(body).subspan(range.first, range.end - range.first);
    Version first = {Cloner(module_)}, second = {Cloner(module_)};
    const Id condition = editor_.emit().op(OpUndef, types_.boolType(), Operands());
    editor_.choose(
        condition, [&] { copyTo(first, instructions); }, [&] { copyTo(second, instructions); });
    noteVersions(instructions, condition, first.copies, second.copies);
    joinResults(body, range, first, second);
}

void Duplicator::run() {
    for (block_ = 0; block_ < function_.blocks.size(); ++block_) {
        Block& block = *function_.blocks[block_];
        editor_.beginBlock(block);
        InstructionList& body = block.body;
        size_t at = 0;
        while (const std::optional<Range> range = nextRange(body, at)) {
            editor_.keep(body, at, range->first);
            duplicate(body, *range);
            at = range->end;
        }
        editor_.keep(body, at, body.size());
        editor_.endBlock();
    }
    editor_.finish();
}

}  // namespace

LoadVersions duplicateLoads(TypeTable& types, std::set<Id>& followed) {
    LoadVersions versions;
    for (const auto& function : types.module().functions()) {
        Duplicator(types, *function, followed, versions).run();
    }
    return versions;
}

}  // namespace coopvk::rewrite
