// SPDX-License-Identifier: Apache-2.0
#include "matrix/slices/factor_slices.hpp"

#include <algorithm>

#include "ir/control_flow.hpp"
#include "ir/dead_code.hpp"
#include "ir/effects.hpp"
#include "ir/memory_operands.hpp"
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
    FactorSlicer(TypeTable& types, const LayoutPolicy& policy, ProductSlices& slices)
        : types_(types), module_(types.module()), policy_(policy), slices_(slices) {}

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
        const Id sum = editor.variable(product.type);
        editor.emit().store(sum, product.word(2));
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
        editor.emit().add(makeInstruction(OpLoad, product.type, product.result, {idOperand(sum)}));
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
        operands[2] = idOperand(emit.load(product.type, sum));
        emit.store(sum, emit.op(OpCooperativeMatrixMulAddKHR, product.type, operands));
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
    const LayoutPolicy& policy_;
    ProductSlices& slices_;
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
                           const MatrixUses& uses) {
    ProductSlices slices;
    if (!target.device.subgroupShuffle || target.tuning.sliceDepth == 0) return slices;
    const LayoutPolicy wide = withWideGrid(types, target, policy, uses);
    const auto chosen = chooseFactors(types, target, wide, uses);
    if (chosen.empty()) return slices;
    policy = wide;
    std::map<Id, LoadedProduct> products;
    for (const auto& [type, of] : chosen) {
        policy.likeAccumulators.insert(type);
        for (const LoadedProduct& product : of) products.emplace(product.product->result, product);
    }
    slices.number =
        globalVariable(types, spv::StorageClass::Private, types.uint32(), "coopvk_slice");
    FactorSlicer slicer(types, policy, slices);
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

void lowerFactorSlice(MatrixContext& context, MatrixWriter& writer, const Instruction& slice) {
    const MatrixType& from = *context.matrixOfValue(slice.word(0));
    const MatrixType& to = *context.matrix(slice.type);
    Emitter& emit = writer.emit();
    const Axis& columns = from.fragment.columns;
    const uint32_t first = context.slices.firstColumns.at(slice.result);
    HeldElements elements(from, emit, slice.word(0)), part(to);
    SubgroupExchange exchange(context, writer, from);
    Id lane = emit.constant(0);
    if (isRolled(columns)) {
        const Id number = emit.load(emit.types().uint32(), context.slices.number);
        lane = to.columns < columns.count() ? emit.over(number, columns.count() / to.columns)
                                            : emit.times(number, to.columns / columns.count());
    }
    const Id row = exchange.gridCoordinate(Dimension::kRows);
    std::map<uint32_t, Id> lanes;
    part.each([&](uint32_t r, uint32_t c, Slot& slot) {
        const uint32_t offset = columns.laneOf(first + c);
        Id& source = lanes[offset];
        if (source == 0)
            source = exchange.laneAt(Dimension::kColumns, emit.plus(lane, offset), row);
        slot = exchange.fromLane(elements.at(r, columns.localOf(first + c)), source);
    });
    part.construct(to, emit, slice.result);
}

}  // namespace coopvk::rewrite
