// SPDX-License-Identifier: Apache-2.0
//
// Shorter code for tensors: accesses that share a function, and layouts whose members are known.
#include <algorithm>

#include "ir/blocks.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "tensor/load_order.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

bool isStore(const Instruction& i) { return i.opcode == OpCooperativeMatrixStoreTensorNV; }

// What accesses of one function have in common, and what is different: its arguments.
struct Pattern {
    std::vector<uint32_t> key;
    std::vector<Id> arguments;
};

class AccessSharing {
 public:
    explicit AccessSharing(TypeTable& types) : types_(types), module_(types.module()) {
        module_.visitBlocks([&](const Instruction& i) {
            if (i.opcode == OpTensorViewSetClipNV) clipped_.insert(i.type);
        });
    }

    void run() {
        std::map<std::vector<uint32_t>, std::vector<Instruction*>> accesses;
        module_.visitBlocks([&](Instruction& i) {
            if ((!isTensorLoad(i) && !isStore(i)) || !isKnown(i)) return;
            accesses[patternOf(i).key].push_back(&i);
        });
        for (const auto& [key, alike] : accesses) {
            if (alike.size() > 1) share(alike);
        }
        for (auto& function : functions_) module_.functions().push_back(std::move(function));
    }

 private:
    bool isConstant(Id id) const {
        const Instruction& def = module_.def(id);
        return isDeclaration(def) || def.opcode == OpFunction;
    }

    // Whether a function can compute the pointer: a chain into a variable of the module, or a
    // physical pointer, which may be an argument.
    bool isKnown(const Instruction& access) const {
        const Instruction& pointer = module_.def(access.word(0));
        if (module_.def(pointer.type).opcode != OpTypePointer) return false;
        for (const Instruction* note : module_.annotationsOf(pointer.result)) {
            if (note->opcode != OpName) return false;
        }
        if (isPhysical(access)) return true;
        if (!isAccessChain(pointer.opcode)) return false;
        const Instruction& base = module_.def(pointer.word(0));
        return base.opcode == OpVariable && storageOf(base) != spv::StorageClass::Function;
    }

    bool isPhysical(const Instruction& access) const {
        return module_.storage(access.word(0)) == spv::StorageClass::PhysicalStorageBuffer;
    }

    bool readsObject(const Instruction& access) const {
        if (isStore(access)) return true;
        return std::ranges::any_of(operandsBehind(access, 3), [&](const Operand& o) {
            return o.isId && clipped_.contains(module_.def(o.word).type);
        });
    }

    // Visits the ids that a function needs of an access, in the order of its parameters: visit(id).
    template <typename Visit>
    void visitIds(const Instruction& access, Visit visit) const {
        if (isPhysical(access)) {
            visit(access.word(0));
        } else {
            for (const Operand& o : operandsBehind(module_.def(access.word(0)), 1)) visit(o.word);
        }
        visit(access.word(2));
        if (readsObject(access)) visit(access.word(1));
        for (const Operand& o : operandsBehind(access, 3)) {
            if (o.isId) visit(o.word);
        }
    }

    Pattern patternOf(const Instruction& access) const {
        Pattern pattern;
        const Instruction& pointer = module_.def(access.word(0));
        pattern.key = {static_cast<uint32_t>(access.opcode), access.type, pointer.type};
        if (!isPhysical(access)) {
            append(pattern.key, {static_cast<uint32_t>(pointer.opcode), pointer.word(0)});
        }
        for (const Operand& o : operandsBehind(access, 3)) {
            append(pattern.key, {o.isId ? 1u : 0u, o.isId ? 0u : o.word});
        }
        visitIds(access, [&](Id id) {
            const bool isShared = isConstant(id);
            append(pattern.key, {isShared ? id : 0, module_.def(id).type});
            if (!isShared) pattern.arguments.push_back(id);
        });
        return pattern;
    }

    static void append(std::vector<uint32_t>& key, std::initializer_list<uint32_t> words) {
        key.insert(key.end(), words);
    }

    void share(const std::vector<Instruction*>& alike) {
        const Id function = build(*alike.front());
        for (Instruction* access : alike) {
            Operands operands = {idOperand(function)};
            const std::vector<Id> arguments = patternOf(*access).arguments;
            rewrite::append(operands, idOperands(arguments));
            if (isStore(*access)) {
                access->type = types_.voidType();
                access->result = module_.takeId();
                module_.setDef(access);
            }
            access->opcode = OpFunctionCall;
            access->operands = std::move(operands);
        }
    }

    Id build(const Instruction& access) {
        const std::vector<Id> arguments = patternOf(access).arguments;
        std::vector<Id> parameters;
        for (const Id id : arguments) parameters.push_back(module_.def(id).type);
        const bool stores = isStore(access);
        FunctionBuilder f(types_, functions_, stores ? "coopvk_tensor_store" : "coopvk_tensor_load",
                          stores ? std::nullopt : std::optional(access.type), parameters);
        for (size_t p = 0; p < parameters.size(); ++p) {
            if (storageOf(module_.def(parameters[p])) != spv::StorageClass::PhysicalStorageBuffer ||
                module_.def(parameters[p]).opcode != OpTypePointer) {
                continue;
            }
            module_.decorate(f.parameter(p), spv::Decoration::Aliased);
        }
        size_t next = 0;
        std::vector<Operand> ids;
        visitIds(access, [&](Id id) {
            ids.push_back(idOperand(isConstant(id) ? id : f.parameter(next++)));
        });
        return f.finish(emitAccess(f.emit(), access, ids));
    }

    // Returns the result of a load. `ids`: those of visitIds(), in the function.
    std::optional<Id> emitAccess(Emitter& emit, const Instruction& access,
                                 std::span<const Operand> ids) {
        const auto take = [&] {
            const Operand first = ids.front();
            ids = ids.subspan(1);
            return first;
        };
        Operands operands = access.operands;
        if (isPhysical(access)) {
            operands[0] = take();
        } else {
            const Instruction& chain = module_.def(access.word(0));
            Operands indices = chain.operands;
            for (size_t i = 1; i < indices.size(); ++i) indices[i] = take();
            operands[0] = idOperand(emit.op(chain.opcode, chain.type, std::move(indices)));
        }
        operands[2] = take();
        operands[1] =
            readsObject(access) ? take() : idOperand(emit.op(OpUndef, access.type, Operands()));
        for (size_t o = 3; o < operands.size(); ++o) {
            if (operands[o].isId) operands[o] = take();
        }
        if (!isStore(access)) return emit.op(access.opcode, access.type, std::move(operands));
        emit.opVoid(access.opcode, std::move(operands));
        return std::nullopt;
    }

    TypeTable& types_;
    Module& module_;
    FunctionList functions_;
    std::unordered_set<Id> clipped_;  // types of views
};

}  // namespace

void shareTensorAccesses(TypeTable& types) { AccessSharing(types).run(); }

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
