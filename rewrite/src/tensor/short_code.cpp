// SPDX-License-Identifier: Apache-2.0
//
// Shorter code for tensors: accesses that share a function, what nothing reads, and layouts whose
// members are known.
#include <algorithm>

#include "ir/blocks.hpp"
#include "ir/dead_code.hpp"
#include "ir/dominators.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "tensor/load_order.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

class AccessSharing {
 public:
    explicit AccessSharing(TypeTable& types)
        : types_(types), module_(types.module()), patterns_(module_) {}

    void run(bool withLoads) {
        std::map<std::vector<uint32_t>, std::vector<Instruction*>> accesses;
        module_.visitBlocks([&](Instruction& i) {
            if ((withLoads || isTensorStore(i)) && patterns_.has(i))
                accesses[patterns_.of(i).key].push_back(&i);
        });
        for (const auto& [key, alike] : accesses) {
            if (alike.size() > 1) share(alike);
        }
        for (auto& function : functions_) module_.functions().push_back(std::move(function));
    }

 private:
    void share(const std::vector<Instruction*>& alike) {
        const Id function = build(*alike.front());
        for (Instruction* access : alike) {
            Operands operands = {idOperand(function)};
            const std::vector<Id> arguments = patterns_.of(*access).arguments;
            append(operands, idOperands(arguments));
            if (isTensorStore(*access)) {
                access->type = types_.voidType();
                access->result = module_.takeId();
                module_.setDef(access);
            }
            access->opcode = OpFunctionCall;
            access->operands = std::move(operands);
        }
    }

    Id build(const Instruction& access) {
        const bool stores = isTensorStore(access);
        const std::vector<Id> arguments = patterns_.of(access).arguments;
        FunctionBuilder f(types_, functions_, stores ? "coopvk_tensor_store" : "coopvk_tensor_load",
                          stores ? std::nullopt : std::optional(access.type),
                          typesOf(module_, arguments));
        decoratePointers(f, arguments);
        size_t next = 0;
        return f.finish(
            patterns_.emitIn(f.emit(), access, [&](Id) { return f.parameter(next++); }));
    }

    TypeTable& types_;
    Module& module_;
    const AccessPatterns patterns_;
    FunctionList functions_;
};

}  // namespace

void shareTensorAccesses(TypeTable& types, bool withLoads) { AccessSharing(types).run(withLoads); }

// Elements outside of a tensor are zero or repeated. Only a view that clips leaves Object's.
void dropUnreadObjects(TypeTable& types) {
    Module& module = types.module();
    std::unordered_set<Id> clipped;  // types of views
    module.visitBlocks([&](const Instruction& i) {
        if (i.opcode == OpTensorViewSetClipNV) clipped.insert(i.type);
    });
    module.visitBlocks([&](Instruction& i) {
        if (!isTensorLoad(i) || i.operands.size() < 3) return;
        const bool isRead = std::ranges::any_of(operandsBehind(i, 3), [&](const Operand& o) {
            return o.isId && clipped.contains(module.def(o.word).type);
        });
        const bool fits = module.def(i.word(1)).type == i.type;
        if (!isRead && fits) i.operands[1].word = types.constantNull(i.type);
    });
}

void dropUnread(TypeTable& types) {
    dropUnreadObjects(types);
    removeDeadCode(types.module(),
                   [](const Instruction& i) { return isOneOf(i.opcode, {OpVariable, OpPhi}); });
}

namespace {

bool isTensorType(const Instruction& type) {
    return isOneOf(type.opcode, {OpTypeTensorLayoutNV, OpTypeTensorViewNV});
}

// Follows the variables of a function that only one block stores to.
class Forwarding {
 public:
    Forwarding(Module& module, Function& function)
        : module_(module),
          function_(function),
          graph_(function),
          dominators_(function, graph_),
          users_(function) {}

    void run() {
        for (const InstructionPtr& i : function_.blocks.front()->body) {
            if (i->opcode == OpVariable && i->operands.size() == 1) follow(i->result);
        }
        if (gone_.empty()) return;
        for (const auto& block : function_.blocks) {
            for (const InstructionPtr& i : block->body) replaceOperands(*i);
        }
        for (const auto& block : function_.blocks) {
            module_.takeOut(block->body, [&](const Instruction& i) { return isGone(i); });
        }
        module_.forget(gone_);
    }

 private:
    bool isGone(const Instruction& i) const {
        return gone_.contains(i.opcode == OpStore ? i.word(0) : i.result);
    }

    // Only whole loads and stores that are not volatile.
    bool isSimple(const Usage& use) const {
        const Instruction& i = *use.user;
        return use.operand == 0 && i.operands.size() == (i.opcode == OpStore ? 2 : 1) &&
               isOneOf(i.opcode, {OpLoad, OpStore});
    }

    // What a load reads; nullopt: it is not known.
    std::optional<Id> storedBefore(std::span<const Usage* const> stores,
                                   const Position& load) const {
        std::optional<Id> value;
        const size_t block = stores.front()->position.block;
        if (load.block != block && !dominators_.dominates(block, load.block)) return std::nullopt;
        for (const Usage* store : stores) {
            if (load.block != block || store->position < load) value = store->user->word(1);
        }
        return value;
    }

    void follow(Id variable) {
        if (!isTensorType(module_.def(module_.pointee(variable)))) return;
        std::vector<const Usage*> stores;
        std::map<Id, Id> loaded;
        for (const Usage& use : users_.of(variable)) {
            if (!isSimple(use)) return;
            if (use.user->opcode == OpStore) stores.push_back(&use);
        }
        if (stores.empty()) return;
        for (const Usage* store : stores) {
            if (store->position.block != stores.front()->position.block) return;
        }
        for (const Usage& use : users_.of(variable)) {
            if (use.user->opcode != OpLoad) continue;
            const std::optional<Id> value = storedBefore(stores, use.position);
            if (!value) return;
            loaded[use.user->result] = *value;
        }
        gone_.insert(variable);
        for (const auto& [load, value] : loaded) {
            gone_.insert(load);
            values_[load] = value;
        }
    }

    // In malformed modules, values may be each other's.
    void replaceOperands(Instruction& i) const {
        for (Operand& o : i.operands) {
            for (size_t n = 0; o.isId && n < values_.size(); ++n) {
                const auto found = values_.find(o.word);
                if (found == values_.end()) break;
                o.word = found->second;
            }
        }
    }

    Module& module_;
    Function& function_;
    const BlockGraph graph_;
    const Dominators dominators_;
    const Users users_;
    std::map<Id, Id> values_;  // of loads
    std::unordered_set<Id> gone_;
};

}  // namespace

void forwardTensorValues(Module& module) {
    const auto isTensor = [](const InstructionPtr& i) { return isTensorType(*i); };
    if (std::ranges::none_of(module.section(Section::kGlobals), isTensor)) return;
    for (const auto& function : module.functions()) {
        if (!function->blocks.empty()) Forwarding(module, *function).run();
    }
}

}  // namespace coopvk::rewrite
