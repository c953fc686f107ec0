// SPDX-License-Identifier: Apache-2.0
//
// Computes the products of a subgroup's invocations (lanes) by matrices of the driver's
// VK_KHR_cooperative_matrix. A has the inputs of as many lanes as it has rows, B has rows of the
// weights as columns, and the accumulator has the totals. All go through shared memory: GPUs load a
// matrix from there faster than from rows that lie apart in a buffer, and weights are converted on
// the way. A lane's totals are a row there: drivers store two at once. Lanes keep bias and result.
#include <algorithm>

#include "ir/opcodes.hpp"
#include "vector/shared_vectors.hpp"

namespace coopvk::rewrite {

namespace {

class DriverMatrices : SharedVectors {
 public:
    DriverMatrices(const ProductWork& work, const DriverProduct& plan)
        : SharedVectors(work, plan.exchange), plan_(plan), shape_(plan.shape) {
        f_.module().addCapability(spv::Capability::CooperativeMatrixKHR);
        f_.module().addExtension("SPV_KHR_cooperative_matrix");
        makeTypes();
    }

    void run() {
        begin();
        const uint32_t perTile = plan_.rowsPerTile();
        const uint32_t whole = plan_.rows / perTile, rest = plan_.rows % perTile;
        f_.loopAbove(1, whole,
                     [&](Id t) { computeTile(times(t, perTile), perTile, whole * perTile); });
        if (rest != 0) computeTile(c(whole * perTile), rest, 0);
    }

 private:
    using Use = spv::CooperativeMatrixUse;

    Id matrixType(ComponentType type, uint32_t rows, uint32_t columns, Use use) {
        const Number& number = *findNumber(type);
        const Id component = number.isFloat() ? types_.floatType(number.bits)
                                              : types_.intType(number.bits, number.isSigned());
        types_.declareArithmetic(component);
        return types_.matrixType({idOperand(component),
                                  idOperand(emit_.scope(spv::Scope::Subgroup)), idOperand(c(rows)),
                                  idOperand(c(columns)), idOperand(c(static_cast<uint32_t>(use)))});
    }

    void makeTypes() {
        const bool isHalf = plan_.sum() == Sum::kHalfPairs;
        const ComponentType total = isHalf ? ComponentType::kFloat16 : shape_.result;
        a_ = matrixType(shape_.a, shape_.m, shape_.k, Use::MatrixAKHR);
        b_ = matrixType(shape_.b, shape_.k, shape_.n, Use::MatrixBKHR);
        sum_ = matrixType(shape_.result, shape_.m, shape_.n, Use::MatrixAccumulatorKHR);
        total_ = matrixType(total, shape_.m, shape_.n, Use::MatrixAccumulatorKHR);
    }

    uint32_t quadsPerStep() const { return shape_.k * findNumber(shape_.a)->bytes() / 16; }
    uint32_t groups() const { return exchange_.lanes / shape_.m; }
    Id sumOf(uint32_t block, uint32_t group) { return sums_[block * groups() + group]; }

    // Computes `rows` rows from `first` (u32) on: blocks of as many rows as B has columns.
    void computeTile(Id first, uint32_t rows, uint32_t looped) {
        const uint32_t blocks = rows / shape_.n;
        while (sums_.size() < blocks * groups()) sums_.push_back(f_.variable(sum_));
        for (uint32_t s = 0; s < blocks * groups(); ++s) {
            f_.store(sums_[s], types_.constantNull(sum_));
        }
        forEachChunk(quadsPerStep(),
                     [&](Id quad, uint32_t quads) { addChunk(first, rows, quad, quads); });
        shareTotals(blocks);
        work_.result.store(first, loadTotals(rows), looped);
        area_.barrier();
    }

    // Adds the products with `quads` quads of each line from `firstQuad` (u32) on. The memory holds
    // the inputs first, then rows of the weights, as many at once as there are lanes; or only the
    // inputs, if weights come from the buffer.
    void addChunk(Id first, uint32_t rows, Id firstQuad, uint32_t quads) {
        const uint32_t steps = divideUp(quads * inputQuadsPerMatrixQuad(), quadsPerStep());
        const std::vector<Id> inputs = listOf(steps * groups(), [&](uint32_t n) {
            const uint32_t step = n / groups(), group = n % groups();
            return lines().load(emit_, a_, slotOf(group * shape_.m, step * quadsPerStep()));
        });
        if (plan_.loadsBlocks) return addBlocks(first, rows, firstQuad, inputs);
        for (uint32_t r = 0; r < rows; r += exchange_.lanes) {
            const uint32_t count = std::min(rows - r, exchange_.lanes);
            area_.barrier();
            stageWeights(plus(first, r), count, firstQuad, quads);
            area_.barrier();
            for (uint32_t row = 0; row < count; row += shape_.n) {
                addBlock((r + row) / shape_.n, inputs, [&](uint32_t step) {
                    return lines(true).load(emit_, b_, slotOf(row, step * quadsPerStep()));
                });
            }
        }
    }

    // The weights of a step are a block's rows of one quad: one after the other.
    void addBlocks(Id first, uint32_t rows, Id firstQuad, std::span<const Id> inputs) {
        for (uint32_t row = 0; row < rows; row += shape_.n) {
            const Id start =
                startOfLine(emit_, p_.inBlocks, work_.parameters.stride, plus(first, row));
            const Id block = emit_.sum(over(work_.matrix.fromStart(start).bytes(), 16),
                                       times(firstQuad, shape_.n));
            addBlock(row / shape_.n, inputs, [&](uint32_t step) {
                const Id pointer = work_.matrix.quadPointer(plus(block, step * shape_.n));
                return DriverLines{c(1), c(1), work_.matrix.quadAccess()}.load(emit_, b_, pointer);
            });
        }
    }

    // Neighbouring lanes take neighbouring quads of a line. The zeros behind the inputs stay.
    void stageWeights(Id firstRow, uint32_t rows, Id firstQuad, uint32_t quads) {
        for (uint32_t i = 0; i < rows * quads; i += exchange_.lanes) {
            const Id index = plus(lane_, i);
            const bool isWhole = i + exchange_.lanes <= rows * quads;
            const Condition isInside =
                isWhole ? Condition::always()
                        : Condition(emit_.compare(OpULessThan, index, c(rows * quads)));
            f_.when(isInside, [&] {
                const Id row = over(index, quads), quad = modulo(index, quads);
                stageQuad(addU32(firstRow, row), addU32(firstQuad, quad),
                          addU32(laneBase(row), times(quad, inputQuadsPerMatrixQuad())));
            });
        }
    }

    // Stores a quad of a row's line, converted, to the quads of the exchange from `slot` on.
    void stageQuad(Id row, Id quad, Id slot) {
        if (plan_.rows != p_.m) row = atMost(emit_, row, p_.m - 1);
        const Id start = startOfLine(emit_, p_.inBlocks, work_.parameters.stride, row);
        const Id line = over(work_.matrix.fromStart(start).bytes(), 16);
        const Id loaded = work_.matrix.quadAt(emit_.sum(line, times(quad, p_.quadBytes() / 16)));
        if (inputQuadsPerMatrixQuad() == 1) return area_.store(slot, loaded);
        const std::vector<Id> words = listFor(work_.arithmetic.units(emit_.parts(loaded)),
                                              [&](Id unit) { return emit_.bitcast(u32(), unit); });
        for (uint32_t q = 0; q < words.size() / 4; ++q) {
            area_.store(plus(slot, q), emit_.construct(quad_, std::span(words).subspan(4 * q, 4)));
        }
    }

    // load(step): the weights of a step.
    template <typename Load>
    void addBlock(uint32_t block, std::span<const Id> inputs, Load load) {
        for (uint32_t s = 0; s < inputs.size() / groups(); ++s) {
            const Id weights = load(s);
            for (uint32_t g = 0; g < groups(); ++g) {
                const Id variable = sumOf(block, g);
                const Id ids[] = {inputs[s * groups() + g], weights, f_.load(variable)};
                Operands operands = idOperands(ids);
                if (const uint32_t mask = signs(); mask != 0) operands.push_back(literal(mask));
                f_.store(variable,
                         emit_.op(OpCooperativeMatrixMulAddKHR, sum_, std::move(operands)));
            }
        }
    }

    // Cooperative Matrix Operands.
    uint32_t signs() const {
        const std::array types = {shape_.a, shape_.b, shape_.c, shape_.result};
        uint32_t mask = 0;
        for (size_t i = 0; i < types.size(); ++i) {
            if (findNumber(types[i])->isSigned()) mask |= static_cast<uint32_t>(kSignedMatrices[i]);
        }
        return mask;
    }

    // Pointer to what the memory holds for a lane, or of a row of the weights.
    Id slotOf(uint32_t lane, uint32_t quad) {
        return area_.pointer(plus(base_, lane * VectorExchange::kLaneQuads + quad));
    }
    DriverLines lines(bool areColumns = false) {
        return DriverLines::shared(emit_, VectorExchange::kLaneQuads, areColumns);
    }

    void shareTotals(uint32_t blocks) {
        for (uint32_t b = 0; b < blocks; ++b) {
            const uint32_t bytes = b * shape_.n * plan_.totalBytes();
            for (uint32_t g = 0; g < groups(); ++g) {
                Id total = f_.load(sumOf(b, g));
                if (total_ != sum_) total = emit_.op(OpFConvert, total_, {total});
                lines().store(emit_, slotOf(g * shape_.m, bytes / 16), total);
            }
        }
        area_.barrier();
    }

    std::vector<Id> loadTotals(uint32_t rows) {
        const Id type = plan_.sum() == Sum::kHalfPairs ? types_.vectorType(f16(), 2)
                        : plan_.sum() == Sum::kDot     ? s32()
                                                       : f32();
        std::vector<Id> totals;
        for (uint32_t q = 0; q < rows * plan_.totalBytes() / 16; ++q) {
            for (const Id word : emit_.parts(area_.load(plus(laneQuads_, q)))) {
                std::ranges::copy(emit_.parts(emit_.bitcast(type, word)),
                                  std::back_inserter(totals));
            }
        }
        return totals;
    }

    const DriverProduct& plan_;
    const MatrixShape& shape_;
    Id a_ = 0, b_ = 0, sum_ = 0;
    Id total_ = 0;          // the accumulator's type in shared memory
    std::vector<Id> sums_;  // variables: by block of rows, then by group of lanes
};

}  // namespace

void multiplyByDriver(const ProductWork& work, const DriverProduct& plan) {
    DriverMatrices(work, plan).run();
}

// Which products of vectors are computed by the driver's matrices, and by which of them.

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
// their own. For any number of groups this was faster than lanes alone
// (docs/developers/benchmarks.md).

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
