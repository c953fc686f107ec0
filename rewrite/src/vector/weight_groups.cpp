// SPDX-License-Identifier: Apache-2.0
//
// Products of a subgroup whose invocations (lanes) multiply by several matrices: the lanes that
// share one are a group. All lanes compute the products of each group together, and keep those of
// their own. For any number of groups this was faster than lanes alone (docs/benchmarks.md).
#include "ir/opcodes.hpp"
#include "vector/product_together.hpp"

namespace coopvk::rewrite {

namespace {

class GroupedProduct : VectorCode {
 public:
    GroupedProduct(VectorFunction& function, Id resultType, size_t parameters)
        : VectorCode(function),
          subgroup_(emit_.scope(spv::Scope::Subgroup)),
          parameters_(parameters),
          result_(f_.variable(resultType)),
          isLeft_(f_.variable(types_.boolType())) {
        using enum spv::Capability;
        for (const spv::Capability capability :
             {GroupNonUniformVote, GroupNonUniformBallot, GroupNonUniformShuffle}) {
            f_.module().addCapability(capability);
        }
    }

    Id run(const ProductFunctions& functions, uint32_t lanes) {
        f_.choose(
            isSubgroupFull(f_, lanes), [&] { multiplyTogether(functions.together); },
            [&] { f_.store(result_, call(functions.alone, {})); });
        return f_.load(result_);
    }

 private:
    // One group after the other: that of the first lane whose products are still to come.
    void multiplyTogether(Id function) {
        f_.store(isLeft_, types_.constantBool(true));
        f_.loopUntil([&] {
            const Id left = f_.load(isLeft_);
            const Id first = firstWhere(left);
            std::vector<Id> location;
            Id isOfGroup = left;
            for (size_t p = 1; p < parameters_; ++p) {
                location.push_back(shuffle(f_.parameter(p), first, isOfGroup));
            }
            const Id products = call(function, location);
            f_.when(isOfGroup, [&] { f_.store(result_, products); });
            const Id stays = emit_.both(left, negated(isOfGroup));
            f_.store(isLeft_, stays);
            return negated(
                emit_.op(spv::Op::OpGroupNonUniformAny, types_.boolType(), {subgroup_, stays}));
        });
    }

    Id negated(Id value) { return emit_.op(spv::Op::OpLogicalNot, types_.boolType(), {value}); }

    // The first lane where a boolean is true.
    Id firstWhere(Id condition) {
        const Id ballot = emit_.op(spv::Op::OpGroupNonUniformBallot, types_.vectorType(u32(), 4),
                                   {subgroup_, condition});
        return emit_.op(spv::Op::OpGroupNonUniformBallotFindLSB, u32(), {subgroup_, ballot});
    }

    // A lane's value; `isSame` becomes false where this lane has another.
    Id shuffle(Id value, Id lane, Id& isSame) {
        std::vector<Id> words = wordsOf(emit_, value);
        for (Id& word : words) {
            const Id own = word;
            word = emit_.op(spv::Op::OpGroupNonUniformShuffle, emit_.typeOf(word),
                            {subgroup_, word, lane});
            isSame = emit_.both(isSame, emit_.compare(spv::Op::OpIEqual, own, word));
        }
        if (words.size() == 1) return words[0];
        const Id pair = emit_.construct(types_.vectorType(u32(), 2), words);
        return emit_.op(spv::Op::OpBitcast, emit_.typeOf(value), {pair});
    }

    // `location`: instead of this lane's own; empty: that.
    Id call(Id function, const std::vector<Id>& location) {
        std::vector<Id> arguments = {f_.parameter(0)};
        for (size_t p = 1; p < parameters_; ++p) {
            arguments.push_back(location.empty() ? f_.parameter(p) : location[p - 1]);
        }
        const Id type = emit_.module().def(emit_.typeOf(result_)).word(1);
        return emit_.call(type, function, arguments);
    }

    Id subgroup_;
    size_t parameters_;
    Id result_;
    Id isLeft_;  // whether this lane's group is still to come
};

}  // namespace

Id multiplyInGroups(VectorContext& context, std::string_view name, Id resultType,
                    std::span<const Id> parameterTypes, const ProductFunctions& functions,
                    uint32_t lanes) {
    VectorFunction f(context, name, resultType, parameterTypes);
    return f.finish(GroupedProduct(f, resultType, parameterTypes.size()).run(functions, lanes));
}

}  // namespace coopvk::rewrite
