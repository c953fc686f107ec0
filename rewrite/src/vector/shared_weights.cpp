// SPDX-License-Identifier: Apache-2.0
#include "vector/shared_weights.hpp"

#include "vector/accumulate.hpp"

namespace coopvk::rewrite {

bool sharesWeightsItself(const DeviceTraits& device) { return device.scalarRegisters; }

bool mayShareWeights(const VectorContext& context, const VectorMatrixMul& product) {
    const DeviceTraits& device = context.target.device;
    const bool votes = device.subgroupVote && device.subgroupBallot &&
                       (device.subgroupStages & static_cast<uint32_t>(context.stage)) != 0;
    // A pointer that is a parameter cannot be told to others.
    const bool told = product.matrix.kind != Location::Kind::kElements &&
                      (!product.hasBias || product.bias.kind != Location::Kind::kElements);
    return sharesWeightsItself(device) && votes && told && !product.isPlaced;
}

namespace {

class Sharing {
 public:
    Sharing(VectorFunction& f, std::span<const Id> types)
        : f_(f), emit_(f.emit()), types_(f.types()), parameterTypes_(types) {
        f.module().addCapability(spv::Capability::GroupNonUniformBallot);
    }

    Id allAgree() {
        Id agree = 0;
        for (size_t p = 1; p < parameterTypes_.size(); ++p) {
            for (const Id word : wordsOf(p)) {
                const Id same = allEqual(emit_, word);
                agree = agree == 0
                            ? same
                            : emit_.op(spv::Op::OpLogicalAnd, types_.boolType(), {agree, same});
            }
        }
        return agree;
    }

    Id firstLanes(size_t parameter) {
        std::vector<Id> words;
        const Id subgroup = types_.constantU32(static_cast<uint32_t>(spv::Scope::Subgroup));
        for (const Id word : wordsOf(parameter)) {
            words.push_back(emit_.op(spv::Op::OpGroupNonUniformBroadcastFirst, types_.uint32(),
                                     {subgroup, word}));
        }
        if (words.size() == 1) return words[0];
        return emit_.op(spv::Op::OpBitcast, parameterTypes_[parameter],
                        {emit_.construct(pair(), words)});
    }

 private:
    Id pair() { return types_.vectorType(types_.uint32(), 2); }

    // A u32, or the words of an address.
    std::vector<Id> wordsOf(size_t parameter) {
        const Id value = f_.parameter(parameter);
        if (parameterTypes_[parameter] == types_.uint32()) return {value};
        const Id words = emit_.op(spv::Op::OpBitcast, pair(), {value});
        return {emit_.extract(types_.uint32(), words, {0}),
                emit_.extract(types_.uint32(), words, {1})};
    }

    VectorFunction& f_;
    Emitter& emit_;
    TypeTable& types_;
    std::span<const Id> parameterTypes_;
};

}  // namespace

Id shareWeights(VectorContext& context, std::string_view name, Id resultType,
                std::span<const Id> parameterTypes, Id alone) {
    VectorFunction f(context, name, resultType, parameterTypes);
    Sharing sharing(f, parameterTypes);
    const Id result = f.variable(resultType);
    const auto call = [&](bool shared) {
        Operands operands = {idOperand(alone), idOperand(f.parameter(0))};
        for (size_t p = 1; p < parameterTypes.size(); ++p) {
            operands.push_back(idOperand(shared ? sharing.firstLanes(p) : f.parameter(p)));
        }
        const Id value = f.module().takeId();
        f.emit().add(
            makeInstruction(spv::Op::OpFunctionCall, resultType, value, std::move(operands)));
        f.store(result, value);
    };
    f.choose(sharing.allAgree(), [&] { call(true); }, [&] { call(false); });
    return f.finish(f.load(result));
}

}  // namespace coopvk::rewrite
