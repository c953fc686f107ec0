// SPDX-License-Identifier: Apache-2.0
#include "ir/blocks.hpp"
#include "ir/emitter.hpp"
#include "tensor/load_order.hpp"
#include "tensor/prefetch_loop.hpp"

namespace coopvk::rewrite {

namespace {

using enum spv::Op;

class Prefetcher {
 public:
    Prefetcher(TypeTable& types, Function& function, const PrefetchLoop& loop)
        : module_(types.module()),
          function_(function),
          loop_(loop),
          values_(module_, loop),
          copies_(module_, values_, present_) {}

    // Returns the product that is copied.
    Id run() {
        for (const Instruction* load : loop_.loads) present_[load->result] = module_.takeId();
        const Id opened = splitBody();
        splitBefore();
        joinInHeader();
        replaceLoads();
        return opened;
    }

 private:
    void add(Block& block, spv::Op opcode, Id type, Id result, Operands operands) {
        block.body.push_back(makeInstruction(opcode, type, result, std::move(operands)));
        if (result != 0) module_.setDef(block.body.back().get());
    }
    // Ends a block with a branch to `more` if the loop goes on.
    void branchIf(Block& block, Id condition, const Block& more, const Block& none,
                  const Block& merge) {
        const Id yes = loop_.goesOnIf ? more.id() : none.id();
        const Id no = loop_.goesOnIf ? none.id() : more.id();
        add(block, OpSelectionMerge, 0, 0, {idOperand(merge.id()), literal(0)});
        add(block, OpBranchConditional, 0, 0,
            {idOperand(condition), idOperand(yes), idOperand(no)});
    }

    // Copies of the loads, of the first or of the next iteration.
    std::vector<Id> loadsOf(When when, Block& block) {
        std::vector<Id> loaded;
        for (const Instruction* load : loop_.loads) {
            Instruction other = *load;
            other.operands[1].word = undefined(load->type);  // Object
            loaded.push_back(copies_.copy(when, other, block.body));
        }
        return loaded;
    }

    // An undefined value ahead of the loop.
    Id undefined(Id type) {
        Id& value = undefined_[type];
        if (value != 0) return value;
        value = module_.takeId();
        InstructionPtr made = makeInstruction(OpUndef, type, value, {});
        module_.setDef(made.get());
        insertAt(loop_.before->body, loop_.before->body.size() - 1, listOf(std::move(made)));
        return value;
    }

    static InstructionList listOf(InstructionPtr one) {
        InstructionList list;
        list.push_back(std::move(one));
        return list;
    }

    size_t indexOf(const Block* block) const {
        size_t index = 0;
        while (function_.blocks[index].get() != block) ++index;
        return index;
    }
    void insertBehind(const Block* block, std::vector<std::unique_ptr<Block>> more) {
        function_.blocks.insert(
            function_.blocks.begin() + static_cast<std::ptrdiff_t>(indexOf(block) + 1),
            std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }

    // Divides the body at the product. Returns the opened product.
    Id splitBody() {
        Block& body = *loop_.body;
        std::unique_ptr<Block> more = makeBlock(module_), none = makeBlock(module_),
                               rest = makeBlock(module_);
        rest->body = takeFrom(body.body, loop_.product + 1);
        InstructionPtr product = std::move(body.body.back());
        body.body.pop_back();
        const Id opened = module_.takeId();
        add(body, product->opcode, product->type, opened, product->operands);
        const Id goesOn = copies_.at(When::kNext, loop_.condition, body.body);
        branchIf(body, goesOn, *more, *none, *rest);
        next_ = loadsOf(When::kNext, *more);
        std::vector<Id> ends;
        for (Block* block : {more.get(), none.get()}) {
            ends.push_back(module_.takeId());
            add(*block, OpCopyObject, product->type, ends.back(), {idOperand(opened)});
            branchTo(*block, rest->id());
        }
        InstructionList phis;
        const auto join = [&](Id type, Id result, Id ofMore, Id ofNone) {
            phis.push_back(makeInstruction(OpPhi, type, result,
                                           {idOperand(ofMore), idOperand(more->id()),
                                            idOperand(ofNone), idOperand(none->id())}));
            module_.setDef(phis.back().get());
        };
        join(product->type, product->result, ends[0], ends[1]);
        for (size_t i = 0; i < next_.size(); ++i) {
            const Id type = loop_.loads[i]->type, joined = module_.takeId();
            join(type, joined, next_[i], undefined(type));
            next_[i] = joined;
        }
        insertAt(rest->body, 0, std::move(phis));
        module_.retire(std::move(product));
        std::vector<std::unique_ptr<Block>> blocks;
        last_ = rest.get();
        for (auto* block : {&more, &none, &rest}) blocks.push_back(std::move(*block));
        if (loop_.step == loop_.body) {
            // The continue target shall have no branches.
            blocks.push_back(makeBlock(module_));
            last_->body.back()->operands = {idOperand(blocks.back()->id())};
            last_ = blocks.back().get();
            branchTo(*last_, loop_.header->id());
        } else {
            last_ = loop_.step;
        }
        insertBehind(&body, std::move(blocks));
        return opened;
    }

    // The first iteration's loads, ahead of the loop.
    void splitBefore() {
        Block& before = *loop_.before;
        std::unique_ptr<Block> loads = makeBlock(module_), after = makeBlock(module_);
        first_ = loadsOf(When::kFirst, *loads);
        branchTo(*loads, after->id());
        module_.retire(std::move(before.body.back()));
        before.body.pop_back();
        const Id runs = copies_.at(When::kFirst, loop_.condition, before.body);
        branchIf(before, runs, *loads, *after, *after);
        for (size_t i = 0; i < first_.size(); ++i) {
            const Id type = loop_.loads[i]->type, joined = module_.takeId();
            add(*after, OpPhi, type, joined,
                {idOperand(first_[i]), idOperand(loads->id()), idOperand(undefined_.at(type)),
                 idOperand(before.id())});
            first_[i] = joined;
        }
        branchTo(*after, loop_.header->id());
        entry_ = after->id();
        std::vector<std::unique_ptr<Block>> blocks;
        blocks.push_back(std::move(loads));
        blocks.push_back(std::move(after));
        insertBehind(&before, std::move(blocks));
    }

    void joinInHeader() {
        Block& header = *loop_.header;
        const auto rename = [&](Operand& o) {
            if (o.word == loop_.before->id()) o.word = entry_;
            if (o.word == loop_.step->id()) o.word = last_->id();
        };
        for (const InstructionPtr& i : header.body) {
            if (i->opcode == OpLoopMerge) rename(i->operands[1]);
            for (size_t o = 1; i->opcode == OpPhi && o < i->operands.size(); o += 2) {
                rename(i->operands[o]);
            }
        }
        InstructionList phis;
        for (size_t k = 0; k < loop_.loads.size(); ++k) {
            const Instruction& load = *loop_.loads[k];
            phis.push_back(makeInstruction(OpPhi, load.type, present_.at(load.result),
                                           {idOperand(first_[k]), idOperand(entry_),
                                            idOperand(next_[k]), idOperand(last_->id())}));
            module_.setDef(phis.back().get());
        }
        insertAt(header.body, 0, std::move(phis));
    }

    // The header's phis give what the loads gave.
    void replaceLoads() {
        for (const auto& block : function_.blocks) {
            std::erase_if(block->body, [&](InstructionPtr& i) {
                if (!present_.contains(i->result)) return false;
                module_.retire(std::move(i));
                return true;
            });
            for (const InstructionPtr& i : block->body) {
                for (Operand& o : i->operands) {
                    const auto found = o.isId ? present_.find(o.word) : present_.end();
                    if (found != present_.end()) o.word = found->second;
                }
            }
        }
    }

    Module& module_;
    Function& function_;
    const PrefetchLoop& loop_;
    const LoopValues values_;
    std::map<Id, Id> present_;  // the header's phis, by the loads' results
    LoopCopies copies_;
    std::map<Id, Id> undefined_;    // by type
    std::vector<Id> first_, next_;  // what the phis join, by load
    Id entry_ = 0;                  // the block ahead of the header
    Block* last_ = nullptr;         // the block that branches back to the header
};

}  // namespace

std::set<Id> prefetchTensorLoads(TypeTable& types, const TensorTypes& tensors) {
    std::set<Id> opened;
    for (const auto& function : types.module().functions()) {
        std::optional<BlockGraph> graph(*function);
        for (size_t l = 0; l < graph->loops().size(); ++l) {
            const std::optional<PrefetchLoop> loop =
                findPrefetchLoop(types.module(), tensors, *function, *graph, graph->loops()[l]);
            if (!loop) continue;
            opened.insert(Prefetcher(types, *function, *loop).run());
            graph.emplace(*function);  // with as many loops, in the same order
        }
    }
    return opened;
}

bool endsProduct(const Module& module, const Instruction& i) {
    return i.opcode == OpCopyObject && module.def(i.word(0)).opcode == OpCooperativeMatrixMulAddKHR;
}

}  // namespace coopvk::rewrite
