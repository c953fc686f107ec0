// SPDX-License-Identifier: Apache-2.0
#include "matrix/workgroup_product.hpp"

#include <algorithm>
#include <numeric>

#include "lowering/number.hpp"
#include "matrix/integer_arithmetic.hpp"
#include "matrix/packs.hpp"
#include "matrix/row_product.hpp"
#include "matrix/workgroup_memory.hpp"
#include "matrix/workgroup_plan.hpp"

namespace coopvk::rewrite {

namespace {

class WorkgroupProduct {
 public:
    WorkgroupProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                     const WorkgroupPlan& plan)
        : context_(context),
          types_(context.types),
          f_(function),
          emit_(function.emit()),
          p_(product),
          plan_(plan),
          memory_(context, emit_),
          position_(context.position(emit_.out(), LaneScope::kWorkgroup)) {
        memory_.use(plan.a.words(plan.depth) + plan.b.words(plan.depth));
    }

    Id emit() {
        HeldElements a(*p_.a, emit_, f_.parameter(0));
        HeldElements b(*p_.b, emit_, f_.parameter(1));
        // Ahead of all control flow.
        const Id storesA = noDuplicate(*p_.a), storesB = noDuplicate(*p_.b);
        for (const StagedOperand* o : {&plan_.a, &plan_.b}) {
            laneOf(*o, true);
            laneOf(*o, false);
        }
        beginSums();
        f_.repeat(p_.a->columns / plan_.depth, 1, [&](Id slice) {
            const Id start = emit_.times(slice, plan_.depth);
            memory_.barrier();
            stage(plan_.a, a, start, storesA);
            stage(plan_.b, b, start, storesB);
            memory_.barrier();
            multiplySlice();
        });
        return endSums();
    }

 private:
    struct Step {
        Id number;
        Id block;  // of K
    };

    Id u32() { return types_.uint32(); }

    Id noDuplicate(const MatrixType& m) {
        return position_.isNoDuplicate(emit_, m.fragment.rows.lanes, m.fragment.columns.lanes);
    }

    // This lane's place on the axis along K, or on the line.
    Id laneOf(const StagedOperand& operand, bool alongK) {
        const Axis& axis = alongK ? operand.k() : operand.line();
        return operand.isA == alongK ? position_.columnLane(axis.lanes)
                                     : position_.rowLane(axis.lanes);
    }

    // Saturation comes once, with C.
    bool addsCLast() const { return p_.saturating; }

    void beginSums() {
        std::vector<Id> start;
        if (addsCLast()) {
            start.assign(plan_.sum.packs(), types_.constantNull(plan_.sum.pack));
        } else {
            start = convert(*p_.c, plan_.sum, f_.parameter(2));
        }
        for (const Id pack : start) {
            sums_.push_back(f_.variable(plan_.sum.pack));
            f_.store(sums_.back(), pack);
        }
    }

    Id endSums() {
        std::vector<Id> sums = loadSums();
        if (addsCLast()) {
            const std::vector<Id> addends = extractPacks(emit_, *p_.c, f_.parameter(2));
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
        std::vector<Slot> slots;
        for (const Id sum : sums) slots.push_back({converted(sum, p_.result->component), 0});
        const std::vector<Id> packs = gatherPacks(emit_, *p_.result, slots);
        return f_.finish(constructFromPacks(emit_, *p_.result, packs));
    }

    std::vector<Id> loadSums() {
        std::vector<Id> sums;
        for (const Id sum : sums_) sums.push_back(f_.load(sum));
        return sums;
    }

    // A scalar of C, or a sum, as `type`.
    Id converted(Id value, Id type) {
        if (emit_.typeOf(value) == type) return value;
        if (!types_.isFloat(type)) return extendInteger(emit_, value, type, p_.signs.c);
        return emit_.op(spv::Op::OpFConvert, type, {value});
    }

    // Packs of `to` from those of a matrix of the same elements.
    std::vector<Id> convert(const MatrixType& from, const MatrixType& to, Id value) {
        std::vector<Id> packs = extractPacks(emit_, from, value);
        if (from.component == to.component) return packs;
        std::vector<Slot> slots = slotsOf(from, packs);
        for (Slot& slot : slots) {
            slot = {converted(scalarOf(emit_, from.component, slot), to.component), 0};
        }
        return gatherPacks(emit_, to, slots);
    }

    // A word of this lane, of those lines that begin with `k` of what it holds.
    Id word(const StagedOperand& operand, HeldElements& elements, uint32_t k, uint32_t word) {
        std::vector<Slot> slots;
        for (uint32_t i = 0; i < operand.alongK * operand.alongLine; ++i) {
            const uint32_t onK = k + i % operand.alongK;
            const uint32_t onLine = word * operand.alongLine + i / operand.alongK;
            slots.push_back(operand.isA ? elements.at(onLine, onK) : elements.at(onK, onLine));
        }
        const Id held = gather(emit_, operand.matrix->component, slots);
        if (operand.component == operand.matrix->component) return emit_.bitcast(u32(), held);
        const Id value = types_.isFloat(operand.component)
                             ? converted(held, operand.component)
                             : extendInteger(emit_, held, operand.component,
                                             operand.isA ? p_.signs.a : p_.signs.b);
        return emit_.bitcast(u32(), value);
    }

    // Puts what this lane holds of a slice into shared memory.
    void stage(const StagedOperand& operand, HeldElements& elements, Id start, Id stores) {
        const Axis& k = operand.k();
        for (uint32_t block = 0; block < k.count(); block += k.block) {
            const Id index = indexOn(emit_, k, laneOf(operand, true), block);
            const Id inSlice = emit_.op(spv::Op::OpISub, u32(), {index, start});
            Id stored = stores;
            if (plan_.depth < k.size) {
                const Id isIn =
                    emit_.compare(spv::Op::OpULessThan, inSlice, emit_.constant(plan_.depth));
                stored = emit_.both(stores, isIn);
            }
            const auto body = [&] { stageBlock(operand, elements, block, inSlice); };
            stored == 0 ? body() : f_.when(stored, body);
        }
    }

    void stageBlock(const StagedOperand& operand, HeldElements& elements, uint32_t block,
                    Id inSlice) {
        const Id first = firstWord(operand, emit_.over(inSlice, operand.alongK),
                                   emit_.over(inSlice, kWorkgroupBlock));
        for (uint32_t k = 0; k < operand.k().block; k += operand.alongK) {
            const uint32_t line = operand.first + k / operand.alongK * operand.lineWords();
            for (uint32_t w = 0; w < operand.laneWords(); w += operand.runWords()) {
                std::vector<Id> words;
                for (uint32_t i = 0; i < operand.runWords(); ++i) {
                    words.push_back(word(operand, elements, block + k, w + i));
                }
                memory_.storeRun(emit_.plus(first, line + operand.offset(w)), words);
            }
        }
    }

    // The first word of this lane in a line. `block`: of K, that the line is in.
    Id firstWord(const StagedOperand& operand, Id line, Id block) {
        Id lane = laneOf(operand, false);
        if (operand.ordersByBlock() && operand.orders() > 1) {
            const Id order = emit_.modulo(block, operand.orders());
            lane = emit_.op(spv::Op::OpBitwiseXor, u32(), {lane, order});
        }
        return emit_.addU32(emit_.times(line, operand.lineWords()),
                            emit_.times(lane, operand.runWords()));
    }

    // What this lane multiplies of a slice, in one step; the value as the array that `type` is.
    Id loadStep(const StagedOperand& operand, const MatrixType& type, Step step) {
        const uint32_t lines = plan_.step / operand.alongK;
        const Id first = firstWord(operand, emit_.times(step.number, lines), step.block);
        std::vector<Id> packs(type.packs());
        for (uint32_t k = 0; k < lines; ++k) {
            const uint32_t line = operand.first + k * operand.lineWords();
            for (uint32_t w = 0; w < operand.laneWords(); w += operand.runWords()) {
                const std::vector<Id> words = memory_.loadRun(
                    emit_.plus(first, line + operand.offset(w)), operand.runWords());
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

    // Several steps in a turn of the loop: loads of one are under way while another is computed.
    void multiplySlice() {
        const uint32_t steps = plan_.depth / plan_.step;
        const uint32_t atOnce = context_.target.device.isCpu ? 1 : std::gcd(steps, 4u);
        f_.loop(
            steps / atOnce,
            [&](Id turn) {
                for (uint32_t i = 0; i < atOnce; ++i) multiply(stepOf(turn, atOnce, i));
            },
            spv::LoopControlMask::MaskNone);
    }

    Step stepOf(Id turn, uint32_t atOnce, uint32_t i) {
        const Id number = emit_.plus(emit_.times(turn, atOnce), i);
        const uint32_t columns = atOnce * plan_.step;
        if (columns % kWorkgroupBlock != 0) {
            return {number, emit_.over(emit_.times(number, plan_.step), kWorkgroupBlock)};
        }
        return {number, emit_.plus(emit_.times(turn, columns / kWorkgroupBlock),
                                   i * plan_.step / kWorkgroupBlock)};
    }

    void multiply(Step step) {
        const MatrixType a = stepType(types_, plan_.a, plan_.step);
        const MatrixType b = stepType(types_, plan_.b, plan_.step);
        MulAdd product = p_;
        product.a = &a;
        product.b = &b;
        product.c = product.result = &plan_.sum;
        product.saturating = false;
        if (addsCLast()) product.signs.c = product.signs.result;
        const auto choose = types_.isFloat(plan_.sum.component) ? floatRow : integerRow;
        const std::unique_ptr<RowProduct> row = choose(context_, emit_, product);
        const std::vector<Id> left = extractPacks(emit_, a, loadStep(plan_.a, a, step));
        row->prepareB(loadStep(plan_.b, b, step));
        const std::vector<Id> sums = loadSums();
        const size_t rows = plan_.sum.fragment.rows.count();
        const size_t perRow = sums.size() / rows, leftPerRow = left.size() / rows;
        for (size_t i = 0; i < rows; ++i) {
            RowProduct::Row under = row->begin(std::span(left).subspan(i * leftPerRow, leftPerRow),
                                               std::span(sums).subspan(i * perRow, perRow));
            for (uint32_t k = 0; k < row->steps(); ++k) row->step(under, k);
            const std::vector<Id> packs = row->end(under);
            for (size_t j = 0; j < perRow; ++j) f_.store(sums_[i * perRow + j], packs[j]);
        }
    }

    MatrixContext& context_;
    TypeTable& types_;
    FunctionBuilder& f_;
    Emitter& emit_;
    const MulAdd& p_;
    const WorkgroupPlan& plan_;
    WorkgroupMemory memory_;
    GridPosition position_;
    std::vector<Id> sums_;  // variables, one for each pack
};

}  // namespace

Id emitWorkgroupProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                        const Instruction& at) {
    WorkgroupPlan plan = planOf(context, product);
    if (context.types.width(product.result->component) > 32 ||
        (product.saturating && context.types.width(product.result->component) != 32)) {
        context.fail(ErrorCode::kUnsupported, at,
                     "this product is not emulated at scope Workgroup");
        return 0;
    }
    if (!chooseDepth(context, plan, at)) return 0;
    return WorkgroupProduct(context, function, product, plan).emit();
}

}  // namespace coopvk::rewrite
