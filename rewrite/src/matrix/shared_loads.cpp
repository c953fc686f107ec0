// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "ir/opcodes.hpp"
#include "matrix/instructions.hpp"
#include "matrix/tensor_elements.hpp"

namespace coopvk::rewrite {

void findSharedLoads(MatrixContext& context) {
    std::map<std::vector<uint32_t>, std::vector<Id>> alike;
    SharedLoads& shared = context.sharedLoads;
    shared.patterns.emplace(context.module);
    context.module.visitBlocks([&](const Instruction& i) {
        if (!isTensorLoad(i) || !shared.patterns->has(i)) return;
        alike[shared.patterns->of(i).key].push_back(i.result);
    });
    for (const auto& [key, loads] : alike) {
        if (loads.size() > 1) shared.loads.insert(loads.begin(), loads.end());
    }
}

namespace {

class SharedLoad {
 public:
    SharedLoad(MatrixContext& context, Emitter& emit, const Instruction& load, LoadWay way)
        : context_(context), load_(load), way_(way) {
        AccessPattern pattern = context.sharedLoads.patterns->of(load);
        key_ = std::move(pattern.key);
        key_.push_back(static_cast<uint32_t>(way));
        for (const Id argument : pattern.arguments) add(emit, argument);
    }

    Id call(Emitter& emit) {
        const auto [entry, isNew] = context_.sharedLoads.functions.try_emplace(key_, 0);
        if (isNew) entry->second = build();
        return emit.call(load_.type, entry->second, arguments_);
    }

 private:
    bool isTensorValue(Id value) const {
        return context_.tensors.layoutOf(context_.module, value) != nullptr ||
               context_.tensors.viewOf(context_.module, value) != nullptr;
    }

    // Members of layouts and views are arguments of their own: many are constants.
    void add(Emitter& emit, Id argument) {
        if (!isTensorValue(argument)) return arguments_.push_back(argument);
        members_.push_back(structureMembers(emit, argument));
        for (const Id member : members_.back()) {
            const bool isConstant = isDeclaration(context_.module.def(member));
            key_.push_back(isConstant ? member : 0);
            if (!isConstant) arguments_.push_back(member);
        }
    }

    Id build() {
        FunctionBuilder f(context_.types, context_.sharedLoads.waiting, "coopvk_tensor_load",
                          load_.type, typesOf(context_.module, arguments_));
        decoratePointers(f, arguments_);
        size_t next = 0;
        const auto parameter = [&](Id argument) {
            if (!isTensorValue(argument)) return f.parameter(next++);
            std::vector<Id> members = std::move(members_.front());
            members_.pop_front();
            for (Id& member : members) {
                if (!isDeclaration(context_.module.def(member))) member = f.parameter(next++);
            }
            return f.emit().construct(context_.module.def(argument).type, members);
        };
        const Id loaded = *context_.sharedLoads.patterns->emitIn(f.emit(), load_, parameter);
        context_.sharedLoads.ways[loaded] = way_;
        return f.finish(loaded);
    }

    MatrixContext& context_;
    const Instruction& load_;
    const LoadWay way_;
    std::vector<uint32_t> key_;
    std::vector<Id> arguments_;
    std::deque<std::vector<Id>> members_;
};

}  // namespace

std::optional<Id> callSharedLoad(MatrixContext& context, Emitter& emit, const Instruction& load,
                                 LoadWay way) {
    if (!context.sharedLoads.loads.contains(load.result)) return std::nullopt;
    return SharedLoad(context, emit, load, way).call(emit);
}

}  // namespace coopvk::rewrite
