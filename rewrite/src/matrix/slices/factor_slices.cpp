// SPDX-License-Identifier: Apache-2.0
#include "matrix/slices/factor_slices.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ir/control_flow.hpp"
#include "ir/dead_code.hpp"
#include "ir/effects.hpp"
#include "ir/memory_operands.hpp"
#include "lowering/number.hpp"
#include "matrix/exchange.hpp"
#include "tensor/load_order.hpp"

namespace coopvk::rewrite {

namespace {

// A grid of few rows has fewer columns of A in each lane: shorter code in the loop, and fewer
// registers for B. As long as no length changes that the module knows.
LayoutPolicy withWideGrid(const TypeTable& types, const PlannedTarget& target,
                          const LayoutPolicy& policy, const MatrixUses& uses) {
    LayoutPolicy wide = policy;
    if (policy.elementLayout != ElementLayout::kFree) return wide;
    wide.grid = makeGrid(target.subgroupSize, false);
    wide.columnBlock = 0;  // slices of A are adjacent columns
    const bool isWanted = policy.grid.rows > wide.grid.rows && !target.tuning.gridRows;
    const bool fits = std::ranges::all_of(uses.types(), [&](const auto& entry) {
        const bool isKnown = (uses.facts(entry.first) & (kHasElements | kAsksLength)) != 0;
        return !isKnown ||
               matrixLength(types, policy, entry.first) == matrixLength(types, wide, entry.first);
    });
    if (!isWanted || !fits) wide.grid = policy.grid;
    return wide;
}

// Puts loops in place of products.
class FactorSlicer {
 public:
    FactorSlicer(TypeTable& types, const PlannedTarget& target, const LayoutPolicy& policy,
                 ProductSlices& slices)
        : types_(types),
          module_(types.module()),
          device_(target.device),
          policy_(policy),
          slices_(slices) {}

    void run(Function& function, const std::map<Id, LoadedProduct>& products) {
        FunctionEditor editor(types_, function);
        for (const auto& block : function.blocks) {
            editor.beginBlock(*block);
            for (InstructionPtr& i : block->body) {
                const auto found = products.find(i->result);
                if (i->result == 0 || found == products.end()) {
                    editor.keep(std::move(i));
                } else {
                    loop(editor, *i, found->second);
                }
            }
            editor.endBlock();
        }
        editor.finish();
    }

 private:
    void loop(FunctionEditor& editor, const Instruction& product, const LoadedProduct& found) {
        const Axis axis = columnsOf(types_, policy_, module_.def(product.word(0)).type);
        const Id type = typeOfSums(product);
        const bool addsC = type != product.type;
        const Id sum = editor.variable(type);
        editor.emit().store(sum, addsC ? types_.constantNull(type) : product.word(2));
        const uint32_t slices = axis.size / found.depth;
        const uint32_t parts = isRolled(axis) ? std::max(1u, axis.count() / found.depth) : slices;
        const auto multiplyParts = [&](Id index) {
            for (uint32_t part = 0; part < parts; ++part) {
                Emitter& emit = editor.emit();
                emit.store(slices_.number, emit.plus(emit.times(index, parts), part));
                multiply(emit, product, found, part * found.depth, sum);
            }
        };
        if (parts == slices)
            multiplyParts(editor.emit().constant(0));
        else
            editor.loop(slices / parts, multiplyParts, spv::LoopControlMask::DontUnroll);
        if (!addsC) {
            editor.emit().add(
                makeInstruction(OpLoad, product.type, product.result, {idOperand(sum)}));
            return;
        }
        const Id sums = editor.emit().load(type, sum);
        editor.emit().op(OpFAdd, product.type, {sums, product.word(2)}, product.result);
    }

    // Each slice would end with the sums of both halves of pairs along K. Products of 8-bit floats
    // are too large for open sums of several instructions.
    Id typeOfSums(const Instruction& product) {
        const Instruction& a = module_.def(module_.def(product.word(0)).type);
        const Number* number = numberOf(types_, a.word(0));
        const Instruction& c = module_.def(product.type);
        const auto d = matrixDimensions(module_, c);
        const bool isSliced = number != nullptr && number->isSmallFloat() &&
                              types_.isHalf(c.word(0)) && device_.openSums == SumForm::kHalves &&
                              policy_.halfPairsAlongK;
        if (!isSliced || makeFragment(policy_, *d, 16).length() > device_.maxOpenSums)
            return product.type;
        Id& made = open_[product.type];
        if (made != 0) return made;
        made = module_.takeId();
        module_.append(Section::kGlobals,
                       makeInstruction(OpTypeCooperativeMatrixKHR, 0, made, c.operands));
        slices_.openSums.insert(made);
        return made;
    }

    // The product of a slice. The columns of A begin with `column` of the iteration.
    void multiply(Emitter& emit, const Instruction& product, const LoadedProduct& found,
                  uint32_t column, Id sum) {
        const Id a =
            emit.op(OpCooperativeMatrixConvertNV,
                    sliceOf(module_.def(product.word(0)).type, 3, found.depth), {product.word(0)});
        slices_.firstColumns[a] = column;
        const Id typeOfB = sliceOf(found.load->type, 2, found.depth);
        const Id b = emit.op(OpCooperativeMatrixLoadKHR, typeOfB, found.load->operands);
        Operands operands = product.operands;
        operands[0] = idOperand(a);
        operands[1] = idOperand(b);
        const Id type = module_.pointee(sum);
        operands[2] = idOperand(emit.load(type, sum));
        emit.store(sum, emit.op(OpCooperativeMatrixMulAddKHR, type, operands));
    }

    // The type of `depth` columns of A, or rows of B; a new one, since values of the module may
    // have an equal type.
    Id sliceOf(Id type, size_t size, uint32_t depth) {
        Id& made = made_[{type, depth}];
        if (made != 0) return made;
        made = module_.takeId();
        Operands operands = module_.def(type).operands;
        operands[size] = idOperand(types_.constantU32(depth));
        module_.append(Section::kGlobals,
                       makeInstruction(OpTypeCooperativeMatrixKHR, 0, made, std::move(operands)));
        if (size == 2) slices_.depths[made] = depth;
        return made;
    }

    TypeTable& types_;
    Module& module_;
    const DevicePlan& device_;
    const LayoutPolicy& policy_;
    ProductSlices& slices_;
    std::map<Id, Id> open_;
    std::map<std::pair<Id, uint32_t>, Id> made_;
};

// What only the products read: the whole B, and the variables that it was stored to.
void dropWholeFactors(TypeTable& types) {
    dropUnreadObjects(types);
    removeDeadCode(types.module(), [&](const Instruction& i) {
        return isOneOf(i.opcode, {OpLoad, OpCooperativeMatrixLoadKHR, OpVariable, OpPhi}) &&
               mayVanish(effectsOf(types.module(), i));
    });
}

}  // namespace

ProductSlices sliceFactors(TypeTable& types, const PlannedTarget& target, LayoutPolicy& policy,
                           const MatrixUses& all) {
    ProductSlices slices;
    if (!target.device.subgroupShuffle || target.tuning.sliceDepth == 0) return slices;
    const LayoutPolicy wide = withWideGrid(types, target, policy, all);
    if (chooseFactors(types, target, wide, all).empty()) return slices;
    // Drivers would keep stores to shared memory, through which factors go.
    removeUnreadValues(types.module());
    const MatrixUses uses(types.module());
    const auto chosen = chooseFactors(types, target, wide, uses);
    policy = wide;
    std::map<Id, LoadedProduct> products;
    for (const auto& [type, of] : chosen) {
        policy.likeAccumulators.insert(type);
        for (const LoadedProduct& product : of) products.emplace(product.product->result, product);
    }
    slices.number =
        globalVariable(types, spv::StorageClass::Private, types.uint32(), "coopvk_slice");
    FactorSlicer slicer(types, target, policy, slices);
    std::set<const Function*> functions;
    for (const MatrixProduct& product : uses.products()) {
        if (products.contains(product.instruction->result)) functions.insert(product.function);
    }
    for (const auto& function : types.module().functions()) {
        if (functions.contains(function.get())) slicer.run(*function, products);
    }
    dropWholeFactors(types);
    types.rescan();
    return slices;
}

namespace {

// Packs of a slice in the lanes that hold them.
class SliceSource : private MatrixCode {
 public:
    SliceSource(MatrixContext& context, MatrixWriter& writer, const MatrixType& from)
        : MatrixCode(context, writer), from_(from), exchange_(context, writer, from) {}

    // The lane in column `offset` of the grid behind column `first`, in this lane's row.
    Id lane(Id first, uint32_t offset) {
        return exchange_.laneAt(Dimension::kColumns, emit_.plus(first, offset),
                                exchange_.gridCoordinate(Dimension::kRows));
    }

    // Shared memory for packs that are all in one lane; nullopt: they do not go through it.
    std::optional<SubgroupArea> area() {
        if (!context_.target.device.hasDividedSubgroups ||
            types_.width(from_.component) * from_.packWidth != 32) {
            return std::nullopt;
        }
        return LaneItems::area(context_);
    }

    // Of these packs of the lane `source`, several at once.
    std::map<Id, Id> throughMemory(const SubgroupArea& area, std::span<const Id> packs, Id source) {
        LaneItems items(context_, writer_, area);
        std::map<Id, Id> moved;
        for (size_t first = 0; first < packs.size(); first += LaneItems::kWords) {
            const auto part =
                packs.subspan(first, std::min<size_t>(LaneItems::kWords, packs.size() - first));
            std::vector<Id> words(LaneItems::kWords, types_.constantU32(0));
            for (size_t i = 0; i < part.size(); ++i)
                words[i] = emit_.bitcast(types_.uint32(), part[i]);
            items.store(words);
            const std::vector<Id> loaded = items.load(source, 0);
            for (size_t i = 0; i < part.size(); ++i)
                moved[part[i]] = emit_.bitcast(from_.pack, loaded[i]);
            items.finish();
        }
        return moved;
    }

    SubgroupExchange& exchange() { return exchange_; }

 private:
    const MatrixType& from_;
    SubgroupExchange exchange_;
};

// The lane's number (u32) in its row of the grid that the iteration takes columns from, and behind
// it those that further columns come from.
Id firstLaneOf(MatrixContext& context, Emitter& emit, const Axis& columns, uint32_t depth) {
    if (!isRolled(columns)) return emit.constant(0);
    const Id number = emit.load(emit.types().uint32(), context.slices.number);
    return depth < columns.count() ? emit.over(number, columns.count() / depth)
                                   : emit.times(number, depth / columns.count());
}

}  // namespace

void lowerFactorSlice(MatrixContext& context, MatrixWriter& writer, const Instruction& slice) {
    const MatrixType& from = *context.matrixOfValue(slice.word(0));
    const MatrixType& to = *context.matrix(slice.type);
    Emitter& emit = writer.emit();
    const Axis& columns = from.fragment.columns;
    const uint32_t first = context.slices.firstColumns.at(slice.result);
    HeldElements elements(from, emit, slice.word(0)), part(to);
    SliceSource source(context, writer, from);
    const Id lane = firstLaneOf(context, emit, columns, to.columns);
    const auto offsetOf = [&](uint32_t c) { return columns.laneOf(first + c); };
    std::set<uint32_t> offsets;
    std::vector<Id> packs;
    part.each([&](uint32_t r, uint32_t c, Slot& slot) {
        slot = elements.at(r, columns.localOf(first + c));
        offsets.insert(offsetOf(c));
        if (std::ranges::find(packs, slot.value) == packs.end()) packs.push_back(slot.value);
    });
    std::map<uint32_t, Id> lanes;
    const auto laneAt = [&](uint32_t offset) {
        Id& found = lanes[offset];
        if (found == 0) found = source.lane(lane, offset);
        return found;
    };
    const auto area = offsets.size() == 1 ? source.area() : std::nullopt;
    if (area) {
        const auto moved = source.throughMemory(*area, packs, laneAt(*offsets.begin()));
        part.each([&](uint32_t, uint32_t, Slot& slot) { slot.value = moved.at(slot.value); });
    } else {
        part.each([&](uint32_t, uint32_t c, Slot& slot) {
            slot = source.exchange().fromLane(slot, laneAt(offsetOf(c)));
        });
    }
    part.construct(to, emit, slice.result);
}

}  // namespace coopvk::rewrite
