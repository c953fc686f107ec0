// SPDX-License-Identifier: Apache-2.0
//
// Which products of vectors are computed by the driver's matrices, and by which of them.
#include <algorithm>

#include "ir/opcodes.hpp"
#include "vector/shared_vectors.hpp"

namespace coopvk::rewrite {

namespace {

using enum ComponentType;

// Products of so many components may be summed in f16, if the results are f16: the driver rounds
// a sum once for each matrix of A.
constexpr uint32_t kMostHalfProducts = 64;

bool isHeldAsHalf(const Number& number) { return number.isHalf() || number.isSmallFloat(); }

class ShapeChoice {
 public:
    ShapeChoice(const VectorContext& context, const VectorMatrixMul& product)
        : context_(context), p_(product) {
        // Words of the input have four 8-bit integers.
        if (sumFor(context, product) == Sum::kDot) {
            a_ = p_.inputType.type;
            b_ = p_.matrixType.type;
        } else if (isHeldAsHalf(p_.matrixType) && isHeldAsHalf(p_.inputType) &&
                   context.target.device.shaderFloat16) {
            a_ = b_ = kFloat16;
        }
    }

    std::optional<MatrixShape> run() const {
        std::optional<MatrixShape> best;
        for (const MatrixShape& shape : context_.target.device.vectorShapes) {
            if (fits(shape) && (!best || isBetter(shape, *best))) best = shape;
        }
        return best;
    }

    bool hasHalfResults() const {
        // The sum of a total and its bias is rounded once.
        return a_ == kFloat16 && !p_.hasBias &&
               numberOf(context_.types, p_.result->component)->isHalf();
    }

    // Whether matrices of this shape load the weights from where they lie.
    bool loadsBlocks(const MatrixShape& shape) const {
        return p_.inBlocks && p_.matrixType.isHalf() && !p_.matrix.place.nonUniform &&
               holdsBlock(shape);
    }

 private:
    bool fits(const MatrixShape& shape) const {
        const bool hasTypes = shape.a == a_ && shape.b == b_ && shape.c == shape.result &&
                              !shape.saturating && holdsTotals(shape.result);
        // Less would compute more zeros than products.
        return hasTypes && 2 * p_.m >= shape.n && 2 * p_.k >= shape.k;
    }

    bool holdsTotals(ComponentType type) const {
        if (a_ != kFloat16) return type == kSint32 || type == kUint32;
        return type == kFloat32 || (type == kFloat16 && hasHalfResults());
    }

    // Those that load blocks, then larger shapes, and of these the ones with the wanted sums.
    bool isBetter(const MatrixShape& a, const MatrixShape& b) const {
        const auto size = [](const MatrixShape& s) { return uint64_t{s.m} * s.n * s.k; };
        if (loadsBlocks(a) != loadsBlocks(b)) return loadsBlocks(a);
        if (size(a) != size(b)) return size(a) > size(b);
        const ComponentType sums =
            loadsBlocks(a) && p_.k <= kMostHalfProducts ? kFloat16 : kFloat32;
        return a.result == sums && b.result != sums;
    }

    const VectorContext& context_;
    const VectorMatrixMul& p_;
    ComponentType a_ = kNoComponentType, b_ = kNoComponentType;
};

}  // namespace

Sum DriverProduct::sum() const {
    if (shape.a != kFloat16) return Sum::kDot;
    return hasHalfResults ? Sum::kHalfPairs : Sum::kHalfPieces;
}

std::optional<DriverProduct> planDriverProduct(VectorContext& context,
                                               const VectorMatrixMul& product) {
    if (context.target.device.vectorShapes.empty() || context.stage != Stage::kCompute ||
        !context.target.device.subgroupShuffle || !canExchange(context, product)) {
        return std::nullopt;
    }
    const ShapeChoice choice(context, product);
    const std::optional<MatrixShape> shape = choice.run();
    const auto exchange = shape ? planExchange(context) : std::nullopt;
    if (!exchange) return std::nullopt;
    return DriverProduct{.exchange = *exchange,
                         .shape = *shape,
                         .hasHalfResults = choice.hasHalfResults(),
                         .loadsBlocks = choice.loadsBlocks(*shape),
                         .rows = static_cast<uint32_t>(roundUp(product.m, shape->n))};
}

// Products of a subgroup whose invocations (lanes) multiply by several matrices: the lanes that
// share one are a group. All lanes compute the products of each group together, and keep those of
// their own. For any number of groups this was faster than lanes alone (docs/benchmarks.md).

namespace {

class GroupedProduct : VectorCode {
 public:
    explicit GroupedProduct(VectorFunction& function)
        : VectorCode(function),
          subgroup_(emit_.scope(spv::Scope::Subgroup)),
          result_(f_.result()),
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
            [&] { f_.store(result_, f_.call(functions.alone, f_.arguments())); });
        return f_.finishResult();
    }

 private:
    // One group after the other: that of the first lane whose products are still to come.
    void multiplyTogether(Id function) {
        f_.store(isLeft_, types_.constantBool(true));
        f_.loopUntil([&] {
            const Id left = f_.load(isLeft_);
            const Id first = firstWhere(left);
            std::vector<Id> arguments = f_.arguments();
            Id isOfGroup = left;
            for (size_t p = 1; p < arguments.size(); ++p) {
                arguments[p] = shuffle(arguments[p], first, isOfGroup);
            }
            const Id products = f_.call(function, std::move(arguments));
            f_.when(isOfGroup, [&] { f_.store(result_, products); });
            const Id stays = emit_.both(left, negated(isOfGroup));
            f_.store(isLeft_, stays);
            return negated(emit_.op(OpGroupNonUniformAny, types_.boolType(), {subgroup_, stays}));
        });
    }

    Id negated(Id value) { return emit_.op(OpLogicalNot, types_.boolType(), {value}); }

    // The first lane where a boolean is true.
    Id firstWhere(Id condition) {
        const Id ballot =
            emit_.op(OpGroupNonUniformBallot, types_.vectorType(u32(), 4), {subgroup_, condition});
        return emit_.op(OpGroupNonUniformBallotFindLSB, u32(), {subgroup_, ballot});
    }

    // A lane's value; `isSame` becomes false where this lane has another.
    Id shuffle(Id value, Id lane, Id& isSame) {
        return mapWords(emit_, value, [&](Id own) {
            const Id word =
                emit_.op(OpGroupNonUniformShuffle, emit_.typeOf(own), {subgroup_, own, lane});
            isSame = emit_.both(isSame, emit_.compare(OpIEqual, own, word));
            return word;
        });
    }

    Id subgroup_;
    Id result_;
    Id isLeft_;  // whether this lane's group is still to come
};

}  // namespace

Id multiplyInGroups(VectorContext& context, std::string_view name, Id resultType,
                    std::span<const Id> parameterTypes, const ProductFunctions& functions,
                    uint32_t lanes) {
    VectorFunction f(context, name, resultType, parameterTypes);
    return GroupedProduct(f).run(functions, lanes);
}

}  // namespace coopvk::rewrite
