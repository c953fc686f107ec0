// SPDX-License-Identifier: Apache-2.0
//
// Shorter code for tensors: accesses that share a function, what nothing reads, and layouts whose
// members are known.
#include <algorithm>

#include "ir/opcodes.hpp"
#include "optimise/dead_code.hpp"
#include "optimise/optimise.hpp"
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

}  // namespace

void forwardTensorValues(Module& module) {
    const auto isTensor = [](const InstructionPtr& i) { return isTensorType(*i); };
    if (std::ranges::none_of(module.section(Section::kGlobals), isTensor)) return;
    forwardVariables(module, Phis::kNever, [&](const Instruction& variable) {
        return isTensorType(module.def(module.pointee(variable.result)));
    });
}

}  // namespace coopvk::rewrite
