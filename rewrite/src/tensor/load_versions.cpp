// SPDX-License-Identifier: Apache-2.0
#include "tensor/load_versions.hpp"

#include <algorithm>
#include <optional>
#include <ranges>

#include "ir/blocks.hpp"
#include "ir/opcodes.hpp"
#include "tensor/load_prefetch.hpp"

namespace coopvk::rewrite {

namespace {

bool isTensorLoad(const Instruction& i) {
    return i.opcode == spv::Op::OpCooperativeMatrixLoadTensorNV;
}

bool namesAny(const Instruction& i, const std::set<Id>& ids) {
    return std::ranges::any_of(i.operands,
                               [&](const Operand& o) { return o.isId && ids.contains(o.word); });
}

using BlockList = std::vector<std::unique_ptr<Block>>;

std::set<Id> usedOutsideTheirBlock(const Function& function) {
    std::map<Id, const Block*> definedIn;
    for (const auto& block : function.blocks) {
        for (const InstructionPtr& i : block->body) definedIn[i->result] = block.get();
    }
    std::set<Id> used;
    for (const auto& block : function.blocks) {
        for (const InstructionPtr& i : block->body) {
            for (const Operand& o : i->operands) {
                const auto found = o.isId ? definedIn.find(o.word) : definedIn.end();
                if (found != definedIn.end() && found->second != block.get()) used.insert(o.word);
            }
        }
    }
    return used;
}

// Instructions of a block that both versions have, from the first load on.
struct Range {
    size_t first = 0, end = 0;
};

class BlockSplitter {
 public:
    BlockSplitter(TypeTable& types, const Function& function, std::set<Id>& followed,
                  LoadVersions& versions)
        : types_(types),
          module_(types.module()),
          usedElsewhere_(usedOutsideTheirBlock(function)),
          followed_(followed),
          versions_(versions) {}

    // Appends a block, or the blocks that replace it.
    void split(std::unique_ptr<Block> block, BlockList& blocks);
    // The blocks in which split blocks end now, by label.
    const std::map<Id, Id>& ends() const { return ends_; }

 private:
    struct Version {
        std::unique_ptr<Block> block;
        std::map<Id, Id> ids;  // its results, by the original's
    };

    std::optional<Range> nextRange(const InstructionList& body) const;
    void add(Block& block, InstructionPtr i) {
        if (i->result != 0) module_.setDef(i.get());
        block.body.push_back(std::move(i));
    }
    void copyTo(Block& block, const Instruction& i, std::map<Id, Id>& ids);
    Version versionOf(const InstructionList& range, Id after);
    void noteVersions(const InstructionList& range, Id condition, const std::map<Id, Id>& fastest,
                      const std::map<Id, Id>& others);
    void joinResults(InstructionList& rest, InstructionList& range, const Version& first,
                     const Version& second);

    TypeTable& types_;
    Module& module_;
    const std::set<Id> usedElsewhere_;
    std::set<Id>& followed_;
    LoadVersions& versions_;
    std::map<Id, Id> ends_;
};

// From a group of loads to the last product that uses what they load, and the stores behind it.
std::optional<Range> BlockSplitter::nextRange(const InstructionList& body) const {
    Range range;
    std::set<Id> loaded;  // values, and variables that they are stored to
    bool isInGroup = false;
    for (size_t at = 0; at < body.size(); ++at) {
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
            const bool stores = i.opcode == spv::Op::OpStore;
            loaded.insert(stores ? i.word(0) : i.result);
            const bool multiplies = i.opcode == spv::Op::OpCooperativeMatrixMulAddKHR;
            const bool isNextStore = stores && range.end == at;
            if (multiplies || isNextStore) range.end = at + 1;
        }
    }
    if (range.end == 0) return std::nullopt;
    return range;
}

void BlockSplitter::copyTo(Block& block, const Instruction& i, std::map<Id, Id>& ids) {
    auto copy = std::make_unique<Instruction>(i);
    for (Operand& o : copy->operands) {
        const auto found = o.isId ? ids.find(o.word) : ids.end();
        if (found != ids.end()) o.word = found->second;
    }
    if (i.result != 0) {
        copy->result = ids[i.result] = module_.takeId();
        module_.copyNamesAndDecorations(i.result, copy->result);
    }
    add(block, std::move(copy));
}

BlockSplitter::Version BlockSplitter::versionOf(const InstructionList& range, Id after) {
    Version version = {makeBlock(module_), {}};
    for (const InstructionPtr& i : range) copyTo(*version.block, *i, version.ids);
    branchTo(*version.block, after);
    return version;
}

void BlockSplitter::noteVersions(const InstructionList& range, Id condition,
                                 const std::map<Id, Id>& fastest, const std::map<Id, Id>& others) {
    for (const InstructionPtr& i : range) {
        if (!isTensorLoad(*i)) continue;
        const Id first = fastest.at(i->result), second = others.at(i->result);
        versions_.loads[condition].push_back(&module_.def(first));
        versions_.fastest.insert(first);
        versions_.others.insert(second);
        if (followed_.erase(i->result) != 0) followed_.insert({first, second});
    }
}

// Whether a phi may join values of a type. A shader has no phis of pointers into logical memory,
// nor of images and samplers.
bool mayBeJoined(const Module& module, Id type) {
    using enum spv::Op;
    const Instruction& def = module.def(type);
    if (isPointerType(def.opcode)) {
        return storageOf(def) == spv::StorageClass::PhysicalStorageBuffer;
    }
    return !isOneOf(def.opcode, {OpTypeImage, OpTypeSampler, OpTypeSampledImage,
                                 OpTypeAccelerationStructureKHR});
}

// Gives the results that later instructions use their ids again: phis join them, or the
// instruction that gives them moves behind the versions.
void BlockSplitter::joinResults(InstructionList& rest, InstructionList& range, const Version& first,
                                const Version& second) {
    std::set<Id> used = usedElsewhere_;
    const auto uses = [&](const Instruction& i) {
        for (const Operand& o : i.operands) {
            if (o.isId) used.insert(o.word);
        }
    };
    for (const InstructionPtr& i : rest) uses(*i);
    InstructionList phis, moved;
    for (InstructionPtr& i : std::views::reverse(range)) {
        if (!used.contains(i->result)) continue;
        if (i->opcode == spv::Op::OpFunctionCall || mayBeJoined(module_, i->type)) {
            phis.push_back(makeInstruction(
                spv::Op::OpPhi, i->type, i->result,
                {idOperand(first.ids.at(i->result)), idOperand(first.block->id()),
                 idOperand(second.ids.at(i->result)), idOperand(second.block->id())}));
            module_.setDef(phis.back().get());
        } else {
            uses(*i);
            moved.push_back(std::move(i));
        }
    }
    std::erase(range, nullptr);
    std::ranges::reverse(phis);
    std::ranges::reverse(moved);
    insertAt(rest, 0, std::move(moved));
    insertAt(rest, 0, std::move(phis));
}

void BlockSplitter::split(std::unique_ptr<Block> block, BlockList& blocks) {
    const Id label = block->id();
    const bool isHeader = std::ranges::any_of(
        block->body, [](const auto& i) { return i->opcode == spv::Op::OpLoopMerge; });
    blocks.push_back(std::move(block));
    while (const std::optional<Range> found =
               isHeader ? std::nullopt : nextRange(blocks.back()->body)) {
        Block& before = *blocks.back();
        InstructionList rest = takeFrom(before.body, found->end);
        InstructionList range = takeFrom(before.body, found->first);
        std::unique_ptr<Block> after = makeBlock(module_);
        Version first = versionOf(range, after->id());
        Version second = versionOf(range, after->id());
        const Id condition = module_.takeId();
        add(before, makeInstruction(spv::Op::OpUndef, types_.boolType(), condition, {}));
        add(before,
            makeInstruction(spv::Op::OpSelectionMerge, 0, 0, {idOperand(after->id()), literal(0)}));
        add(before, makeInstruction(spv::Op::OpBranchConditional, 0, 0,
                                    {idOperand(condition), idOperand(first.block->id()),
                                     idOperand(second.block->id())}));
        noteVersions(range, condition, first.ids, second.ids);
        joinResults(rest, range, first, second);
        for (InstructionPtr& i : range) module_.retire(std::move(i));
        after->body = std::move(rest);
        blocks.push_back(std::move(first.block));
        blocks.push_back(std::move(second.block));
        blocks.push_back(std::move(after));
    }
    ends_[label] = blocks.back()->id();
}

}  // namespace

LoadVersions duplicateLoads(TypeTable& types, std::set<Id>& followed) {
    LoadVersions versions;
    for (const auto& function : types.module().functions()) {
        BlockSplitter splitter(types, *function, followed, versions);
        BlockList blocks;
        for (auto& block : function->blocks) splitter.split(std::move(block), blocks);
        function->blocks = std::move(blocks);
        for (const auto& [first, last] : splitter.ends()) {
            if (first != last) renameParent(*function, first, last);
        }
    }
    return versions;
}

}  // namespace coopvk::rewrite
