// SPDX-License-Identifier: Apache-2.0
//
// Multiply-adds of matrices of scope Workgroup: emitWorkgroupProduct (product.hpp).
#include <algorithm>
#include <bit>
#include <numeric>

#include "lowering/number.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/product.hpp"
#include "matrix/staged_product.hpp"

namespace coopvk::rewrite {

uint32_t deepestSlice(MatrixContext& context, const MulAdd& product, const Instruction& at,
                      uint32_t step, uint32_t more,
                      const std::function<uint32_t(uint32_t depth)>& wordsOf) {
    const uint32_t words = workgroupWords(context, at, wordsOf(step)), k = product.a->columns;
    if (words == 0) return 0;
    uint32_t deepest = step;
    for (uint32_t depth = step; depth <= k; depth += step) {
        if (k % depth == 0 && wordsOf(depth) <= std::max(words, more)) deepest = depth;
    }
    return deepest;
}

namespace {

// The type of sums that are scalars of type `component`.
MatrixType scalarSums(TypeTable& types, const MatrixType& result, Id component) {
    MatrixType sum = result;
    sum.component = component;
    sum.number = numberOf(types, component);
    sum.fragment.packWidth = sum.packWidth = 1;
    sum.pack = component;
    sum.id = types.arrayType(component, sum.count);
    return sum;
}

// The most open sums of a lane, each of which takes a register: half of the registers that each of
// a workgroup's invocations has if the workgroup has a multiprocessor for itself.
uint32_t maxOpenSums(const DevicePlan& device, uint32_t invocations) {
    const uint32_t share = device.registersOfWorkgroup / std::max(1u, invocations);
    return std::min(device.registersOfLane, share) / 2;
}

// Whether sums are faster if they are open. Then both factors are pairs along K, and no instruction
// multiplies two numbers by one half of a pair, which NVIDIA's GPUs do at half the rate
// (docs/developers/benchmarks.md, "Pairs along K"). GPUs with subgroups of several sizes have fewer
// registers for each lane of the larger ones, and functions that decode elements need registers,
// too.
bool prefersOpenSums(const MatrixContext& context, const MatrixType& result) {
    const DevicePlan& device = context.target.device;
    return device.opensWorkgroupSums &&
           !context.module.hasCapability(spv::Capability::CooperativeMatrixBlockLoadsNV) &&
           result.length() <= maxOpenSums(device, context.invocations);
}

MatrixType openSumsOf(TypeTable& types, const MatrixType& result) {
    MatrixType sum = result;
    sum.sumForm = SumForm::kHalves;
    sum.sumType = types.vectorType(result.component, 2);
    sum.id = types.arrayType(sum.sumType, sum.length());
    return sum;
}

// A or B. A word in shared memory has one component, or neighbours along K, or neighbours along the
// other axis, the "line" (rows of A, columns of B). Lines follow each other along K. The words of a
// line are divided into runs. With two lanes on the line, each of which has two runs:
//
//   K 0:  run 0 of lane 0   run 0 of lane 1   run 1 of lane 0   run 1 of lane 1   padding
//   K 1:  ...
struct StagedOperand {
    const MatrixType* matrix = nullptr;
    bool isA = true;
    Id component = 0;        // scalar type in shared memory
    uint32_t alongK = 1;     // components of a word along K
    uint32_t alongLine = 1;  // along the line
    uint32_t first = 0;      // first word

    // The dimensions of the matrix along K, and along the line.
    Dimension kDimension() const { return isA ? Dimension::kColumns : Dimension::kRows; }
    Dimension lineDimension() const { return other(kDimension()); }
    const Axis& k() const { return matrix->fragment.axis(kDimension()); }
    const Axis& line() const { return matrix->fragment.axis(lineDimension()); }
    // Words of a lane on the line, and consecutive words of it.
    uint32_t laneWords() const { return line().count() / alongLine; }
    uint32_t runWords() const { return std::gcd(laneWords(), 4u); }
    // Lanes that write along K should access different banks. Runs of four words are whole vectors:
    // they have no padding, but another order in each block of K (lane XOR block).
    bool ordersByBlock() const { return runWords() == 4; }
    uint32_t orders() const { return std::min(line().lanes, 8u); }
    // Words from one line to the next.
    uint32_t lineWords() const { return line().size / alongLine + (ordersByBlock() ? 0 : 4); }
    uint32_t words(uint32_t depth) const { return depth / alongK * lineWords(); }
    // Place of a lane's word on the line, without the part that depends on lane and block.
    uint32_t offset(uint32_t word) const {
        return word / runWords() * (line().lanes * runWords()) + word % runWords();
    }
};

struct WorkgroupPlan {
    StagedOperand a, b;
    MatrixType sum;      // the type in which sums are computed; perhaps open
    uint32_t step = 1;   // columns of A that are multiplied at once
    uint32_t depth = 0;  // columns of A in a slice; divides K

    uint32_t words(uint32_t columns) const { return a.words(columns) + b.words(columns); }
    // Multiply-adds of a lane in a step: of scalars, or of pairs.
    uint32_t products() const { return sum.heldCount() * step / (sum.isOpen() ? 2 : 1); }
};

WorkgroupPlan planOf(const MatrixContext& context, const MulAdd& p) {
    TypeTable& types = context.types;
    WorkgroupPlan plan;
    plan.a.matrix = p.a;
    plan.b.matrix = p.b;
    plan.b.isA = false;
    plan.sum = *p.result;
    const auto areAll = [&](uint32_t bits) {
        return types.width(p.a->component) == bits && types.width(p.b->component) == bits;
    };
    const bool areHalves = !p.roundsOnce && types.isHalf(p.a->component) &&
                           types.isHalf(p.b->component) && types.isHalf(p.result->component);
    if (!types.isFloat(p.result->component)) {
        // Four bytes along K, for dot products.
        const bool bytes = areAll(8);
        plan.a.component = bytes ? p.a->component : types.intType(32, p.signs.a);
        plan.b.component = bytes ? p.b->component : types.intType(32, p.signs.b);
        plan.step = plan.a.alongK = plan.b.alongK = bytes ? 4 : 1;
    } else if (areHalves && context.target.device.packsHalves) {
        // Pairs of A along K, and of B along K or along N, for packed arithmetic.
        plan.a.component = plan.b.component = p.a->component;
        plan.step = plan.a.alongK = 2;
        const bool isOpen = prefersOpenSums(context, *p.result);
        (isOpen ? plan.b.alongK : plan.b.alongLine) = 2;
        if (isOpen) plan.sum = openSumsOf(types, *p.result);
    } else {
        plan.a.component = plan.b.component = types.floatType(32);
        plan.sum = scalarSums(types, *p.result, types.floatType(32));
    }
    return plan;
}

// The part of A or B that a lane multiplies in one step: `step` columns of A, or rows of B.
MatrixType stepType(TypeTable& types, const StagedOperand& operand, uint32_t step) {
    const Axis& line = operand.line();
    const Axis whole = {step, 1, step};
    MatrixType type;
    type.component = operand.component;
    type.number = numberOf(types, operand.component);
    type.use = operand.isA ? Use::kA : Use::kB;
    type.rows = operand.isA ? line.size : step;
    type.columns = operand.isA ? step : line.size;
    type.fragment.scope = LaneScope::kWorkgroup;
    type.fragment.rows = operand.isA ? line : whole;
    type.fragment.columns = operand.isA ? whole : line;
    type.fragment.packWidth = operand.alongK * operand.alongLine;
    const bool alongRows = operand.isA ? operand.alongLine > 1 : operand.alongK > 1;
    type.fragment.packAxis = alongRows ? PackAxis::kRows : PackAxis::kColumns;
    describePacks(type, types);
    type.id = types.arrayType(type.pack, type.fragment.packs());
    return type;
}

class WorkgroupProduct : StagedProduct {
 public:
    WorkgroupProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                     const WorkgroupPlan& plan)
        : StagedProduct(context, function, product, plan.depth, plan.words(plan.depth)),
          plan_(plan) {}

    Id emit() {
        HeldElements a(*p_.a, emit_, f_.parameter(0));
        HeldElements b(*p_.b, emit_, f_.parameter(1));
        // Positions are computed ahead of all control flow, since later blocks use them, too.
        const Condition storesA = isNoDuplicate(*p_.a), storesB = isNoDuplicate(*p_.b);
        for (const StagedOperand* o : {&plan_.a, &plan_.b}) {
            position_.laneOn(o->kDimension(), o->k());
            lineLane(*o);
        }
        sums_ = f_.variable(plan_.sum.id);
        f_.store(sums_, firstSums());
        forEachSlice(
            [&](Id start) {
                stage(plan_.a, a, start, storesA);
                stage(plan_.b, b, start, storesB);
            },
            [&] { multiplySlice(); });
        return endSums();
    }

 private:
    struct Step {
        Id number;  // in the slice
        Id block;   // of K, to which the step belongs
    };

    Id u32() { return types_.uint32(); }

    // This lane's number on the line.
    Id lineLane(const StagedOperand& operand) {
        return position_.laneOn(operand.lineDimension(), operand.line());
    }

    // Only the addition of C saturates, so it comes last.
    bool addsCLast() const { return p_.saturating; }

    Id firstSums() {
        const MatrixType& sum = plan_.sum;
        if (addsCLast()) return types_.constantNull(sum.id);
        if (p_.c->id == sum.id) return f_.parameter(2);
        const std::vector<Id> packs = convert(*p_.c, sum, f_.parameter(2));
        return emit_.construct(sum.id, sum.isOpen() ? openSums(emit_, sum, packs) : packs);
    }

    std::vector<Id> loadSums() { return emit_.parts(f_.load(sums_)); }

    Id endSums() {
        if (plan_.sum.id == p_.result->id && !addsCLast()) return f_.finish(f_.load(sums_));
        std::vector<Id> sums = loadSums();
        if (plan_.sum.isOpen()) sums = closeSums(emit_, plan_.sum, sums);
        if (addsCLast()) {
            const std::vector<Id> addends = convert(*p_.c, plan_.sum, f_.parameter(2));
            const Id word = types_.intType(32, false);
            for (size_t i = 0; i < sums.size(); ++i) {
                const Id sum =
                    saturatingAdd(emit_, word, 32, p_.signs.result, emit_.bitcast(word, sums[i]),
                                  emit_.bitcast(word, addends[i]));
                sums[i] = emit_.bitcast(plan_.sum.pack, sum);
            }
        }
        if (plan_.sum.component == p_.result->component) {
            return f_.finish(constructFromPacks(emit_, *p_.result, sums));
        }
        // Packs are converted as a whole, which is shorter.
        MatrixType wide = *p_.result;
        wide.component = plan_.sum.component;
        std::vector<Id> packs = gatherPacks(emit_, wide, slotsOf(emit_, sums));
        for (Id& pack : packs) pack = roundSums(context_, emit_, p_, p_.result->pack, pack);
        return f_.finish(constructFromPacks(emit_, *p_.result, packs));
    }

    // Converts a scalar of C, or a sum, to `type`.
    Id converted(Id value, Id type) {
        if (types_.isFloat(type)) return emit_.converted(type, value);
        const Id arithmetic = types_.intType(types_.width(type), false);
        return emit_.bitcast(type, extendInteger(emit_, value, arithmetic, p_.signs.c));
    }

    // The packs of a matrix, converted to the type `to`, whose elements are distributed alike.
    std::vector<Id> convert(const MatrixType& from, const MatrixType& to, Id value) {
        std::vector<Id> packs = extractPacks(emit_, from, value);
        if (from.component == to.component) return packs;
        if (types_.isFloat(to.component)) {
            const Id type = types_.vectorType(to.component, from.packWidth);
            for (Id& pack : packs) pack = emit_.converted(type, pack);
            return gatherPacks(emit_, to, slotsOf(from, packs));
        }
        std::vector<Slot> slots = slotsOf(from, packs);
        for (Slot& slot : slots) {
            slot = {converted(scalarOf(emit_, from.component, slot), to.component), 0};
        }
        return gatherPacks(emit_, to, slots);
    }

    // Word number `word` of this lane on the line, for the elements from local index `k` on K on.
    Id word(const StagedOperand& operand, HeldElements& elements, uint32_t k, uint32_t word) {
        const std::vector<Slot> slots = listOf(operand.alongK * operand.alongLine, [&](uint32_t i) {
            const uint32_t onLine = word * operand.alongLine + i / operand.alongK;
            return elements.at(operand.kDimension(), k + i % operand.alongK, onLine);
        });
        const Id held = gather(emit_, operand.matrix->component, slots);
        if (operand.component == operand.matrix->component) return emit_.bitcast(u32(), held);
        const Id value = types_.isFloat(operand.component)
                             ? converted(held, operand.component)
                             : extendInteger(emit_, held, operand.component,
                                             operand.isA ? p_.signs.a : p_.signs.b);
        return emit_.bitcast(u32(), value);
    }

    // Stores what this lane holds of a slice to shared memory.
    void stage(const StagedOperand& operand, HeldElements& elements, Id start, Condition stores) {
        forEachBlock(*operand.matrix, operand.kDimension(), start, stores,
                     [&](uint32_t block, Id inSlice) {
                         for (uint32_t k = 0; k < blockOf(operand.k()); k += kWorkgroupBlock) {
                             stageBlock(operand, elements, block + k, emit_.plus(inSlice, k));
                         }
                     });
    }

    // The same for kWorkgroupBlock of them along K, whose lines have one order (ordersByBlock()).
    void stageBlock(const StagedOperand& operand, HeldElements& elements, uint32_t block,
                    Id inSlice) {
        const Id first = firstWord(operand, emit_.over(inSlice, operand.alongK),
                                   emit_.over(inSlice, kWorkgroupBlock));
        for (uint32_t k = 0; k < kWorkgroupBlock; k += operand.alongK) {
            const uint32_t line = operand.first + k / operand.alongK * operand.lineWords();
            for (uint32_t w = 0; w < operand.laneWords(); w += operand.runWords()) {
                const std::vector<Id> words = listOf(operand.runWords(), [&](uint32_t i) {
                    return word(operand, elements, block + k, w + i);
                });
                memory_.storeWords(first, line + operand.offset(w), words);
            }
        }
    }

    // The first word of this lane in a line, which is in a block of K (both u32).
    Id firstWord(const StagedOperand& operand, Id line, Id block) {
        Id lane = lineLane(operand);
        if (operand.ordersByBlock()) {
            const Id order = emit_.modulo(block, operand.orders());
            lane = emit_.op(OpBitwiseXor, u32(), {lane, order});
        }
        return emit_.addU32(emit_.times(line, operand.lineWords()),
                            emit_.times(lane, operand.runWords()));
    }

    // Loads what this lane multiplies of a slice in one step, as a value of `type`.
    Id loadStep(const StagedOperand& operand, const MatrixType& type, Step step) {
        const uint32_t lines = plan_.step / operand.alongK;
        const Id first = firstWord(operand, emit_.times(step.number, lines), step.block);
        std::vector<Id> packs(type.packs());
        for (uint32_t k = 0; k < lines; ++k) {
            const uint32_t line = operand.first + k * operand.lineWords();
            for (uint32_t w = 0; w < operand.laneWords(); w += operand.runWords()) {
                const std::vector<Id> words =
                    memory_.loadWords(first, line + operand.offset(w), operand.runWords());
                for (uint32_t i = 0; i < words.size(); ++i) {
                    const uint32_t x = (w + i) * operand.alongLine, onK = k * operand.alongK;
                    const uint32_t pack =
                        operand.isA ? type.fragment.packOf(x, onK) : type.fragment.packOf(onK, x);
                    packs[pack] = emit_.bitcast(type.pack, words[i]);
                }
            }
        }
        return constructFromPacks(emit_, type, packs);
    }

    // Takes several steps in an iteration of the loop, so that a GPU loads for one while it
    // computes another. Where they are long, they are an inner loop, which the driver unrolls.
    void multiplySlice() {
        const uint32_t steps = plan_.depth / plan_.step;
        const DevicePlan& device = context_.target.device;
        const auto fitting = [&](uint32_t products) { return products / plan_.products(); };
        const uint32_t atOnce =
            std::gcd(steps, std::bit_floor(std::clamp(fitting(device.workgroupProducts), 1u,
                                                      device.workgroupSteps)));
        const uint32_t written =
            std::gcd(atOnce, std::bit_floor(std::max(1u, fitting(device.writtenProducts))));
        const auto multiplySteps = [&](Id iteration) {
            const auto some = [&](Id part) {
                multiply(iteration, atOnce, emit_.times(part, written), written);
            };
            f_.loopAbove(1, atOnce / written, some, spv::LoopControlMask::Unroll);
        };
        f_.loop(steps / atOnce, multiplySteps,
                device.rollsWorkgroupSteps ? spv::LoopControlMask::DontUnroll
                                           : spv::LoopControlMask::MaskNone);
    }

    // `count` of the `atOnce` steps of an iteration.
    void multiply(Id iteration, uint32_t atOnce, Id first, uint32_t count) {
        std::vector<Id> sums = loadSums();
        for (uint32_t i = 0; i < count; ++i) {
            multiply(stepOf(iteration, atOnce, emit_.plus(first, i)), sums);
        }
        f_.store(sums_, emit_.construct(plan_.sum.id, sums));
    }

    // Step `i` of the `atOnce` steps of an iteration.
    Step stepOf(Id iteration, uint32_t atOnce, Id i) {
        const Id number = emit_.addU32(emit_.times(iteration, atOnce), i);
        const uint32_t columns = atOnce * plan_.step;
        if (columns % kWorkgroupBlock != 0) {
            return {number, emit_.over(emit_.times(number, plan_.step), kWorkgroupBlock)};
        }
        return {number, emit_.addU32(emit_.times(iteration, columns / kWorkgroupBlock),
                                     emit_.over(emit_.times(i, plan_.step), kWorkgroupBlock))};
    }

    // Adds the products of a step to the sums.
    void multiply(Step step, std::vector<Id>& sums) {
        const MatrixType a = stepType(types_, plan_.a, plan_.step);
        const MatrixType b = stepType(types_, plan_.b, plan_.step);
        MulAdd product = p_;
        product.a = &a;
        product.b = &b;
        product.c = product.result = &plan_.sum;
        product.saturating = false;
        if (addsCLast()) product.signs.c = product.signs.result;
        const std::unique_ptr<RowProduct> row = makeRow(context_, emit_, product);
        const std::vector<Id> left = extractPacks(emit_, a, loadStep(plan_.a, a, step));
        row->prepareB(loadStep(plan_.b, b, step));
        const size_t rows = plan_.sum.fragment.rows.count();
        const size_t perRow = sums.size() / rows, leftPerRow = left.size() / rows;
        for (size_t i = 0; i < rows; ++i) {
            const std::vector<Id> packs =
                row->whole(std::span(left).subspan(i * leftPerRow, leftPerRow),
                           std::span(sums).subspan(i * perRow, perRow));
            std::ranges::copy(packs, sums.begin() + static_cast<ptrdiff_t>(i * perRow));
        }
    }

    const WorkgroupPlan& plan_;
    Id sums_ = 0;  // a variable: one array is shorter code than a variable for each sum
};

}  // namespace

Id emitWorkgroupProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                        const Instruction& at) {
    WorkgroupPlan plan = planOf(context, product);
    if (context.types.width(product.result->component) > 32 ||
        (product.saturating && context.types.width(product.result->component) != 32)) {
        context.unsupported(at, "this product is not emulated at scope Workgroup");
        return 0;
    }
    plan.depth = deepestSlice(context, product, at, kWorkgroupBlock, 0,
                              [&](uint32_t depth) { return plan.words(depth); });
    if (plan.depth == 0) return 0;
    plan.b.first = plan.a.words(plan.depth);
    return WorkgroupProduct(context, function, product, plan).emit();
}

}  // namespace coopvk::rewrite
