// SPDX-License-Identifier: Apache-2.0
#include "matrix/tiles/tile_grid.hpp"

#include <algorithm>
#include <set>

#include "ir/entry_point.hpp"
#include "lowering/context.hpp"
#include "lowering/number.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/tiles/tile_memory.hpp"

namespace coopvk::rewrite {

namespace {

class GridPlanner {
 public:
    GridPlanner(const Module& module, const TypeTable& types, const PlannedTarget& target,
                uint32_t invocations)
        : module_(module), types_(types), subgroups_(invocations / target.subgroupSize) {
        const bool hasBFloat16 = !target.emulated.contains(Extension::kKhrShaderBfloat16);
        std::ranges::copy_if(target.device.nativeShapes, std::back_inserter(shapes_),
                             [&](const MatrixShape& shape) {
                                 return hasBFloat16 || shape.a != ComponentType::kBFloat16;
                             });
        if (invocations % target.subgroupSize != 0) subgroups_ = 0;
    }

    TilePlan run() {
        if (subgroups_ == 0) return {};
        const MatrixUses uses(module_);
        for (const MatrixProduct& product : uses.products()) {
            const auto d = matrixDimensions(module_, module_.def(product.instruction->type));
            if (d && !d->isOfSubgroup()) addProduct(product);
        }
        for (const Id type : excluded_) plan_.grids.erase(type);
        return std::move(plan_);
    }

 private:
    // Cooperative Matrix Operands, not the type, say whether integers are signed.
    ComponentType componentOf(Id matrix, bool isSigned) const {
        const Number* number = numberOf(types_, module_.def(matrix).word(0));
        if (number != nullptr && !number->isFloat()) {
            number =
                findNumber(isSigned ? NumberKind::kSigned : NumberKind::kUnsigned, number->bits);
        }
        return number == nullptr ? kNoComponentType : number->type;
    }

    // Factors of 8-bit floats are held as f16. Sums of them are rounded, which tiles are not.
    ComponentType factorOf(Id matrix, bool isSigned) const {
        const Number* number = numberOf(types_, module_.def(matrix).word(0));
        const bool held = number != nullptr && number->isSmallFloat();
        return held ? ComponentType::kFloat16 : componentOf(matrix, isSigned);
    }

    void addProduct(const MatrixProduct& product) {
        const Instruction& i = *product.instruction;
        const std::optional<TileGrid> grid =
            product.c == i.type ? gridFor(i, product.a, product.b) : std::nullopt;
        const auto [known, isNew] = plan_.grids.try_emplace(i.type, grid.value_or(TileGrid{}));
        if (!grid || (!isNew && known->second != *grid)) excluded_.insert(i.type);
    }

    // The best grid for a product; nullopt: the driver supports no shape for it.
    std::optional<TileGrid> gridFor(const Instruction& i, Id a, Id b) const {
        const auto left = matrixDimensions(module_, module_.def(a));
        const auto sums = matrixDimensions(module_, module_.def(i.type));
        if (!left || !sums) return std::nullopt;
        using enum spv::CooperativeMatrixOperandsMask;
        const auto has = [&](spv::CooperativeMatrixOperandsMask bit) {
            return (i.word(3) & static_cast<uint32_t>(bit)) != 0;
        };
        if (has(SaturatingAccumulationKHR)) return std::nullopt;
        const ComponentType typeOfA = factorOf(a, has(MatrixASignedComponentsKHR));
        const ComponentType typeOfB = factorOf(b, has(MatrixBSignedComponentsKHR));
        const ComponentType typeOfC = componentOf(i.type, has(MatrixCSignedComponentsKHR));
        const ComponentType ofResult = componentOf(i.type, has(MatrixResultSignedComponentsKHR));
        if (typeOfC != ofResult) return std::nullopt;
        std::optional<TileGrid> best;
        for (const MatrixShape& shape : shapes_) {
            if (!beginAtWords(i, a, b, shape) || shape.a != typeOfA || shape.b != typeOfB ||
                shape.c != typeOfC || shape.result != ofResult || shape.saturating ||
                left->columns % shape.k != 0) {
                continue;
            }
            const std::optional<TileGrid> grid = divide(*sums, shape);
            if (grid && (!best || isBetter(*grid, *best))) best = grid;
        }
        return best;
    }

    // Whether each tile of a row in shared memory begins at a vector of four words.
    bool beginAtWords(const Instruction& i, Id a, Id b, const MatrixShape& shape) const {
        const auto isWhole = [&](Id matrix, uint32_t columns) {
            return columns * heldBits(types_, module_.def(matrix).word(0)) % 128 == 0;
        };
        return isWhole(a, shape.k) && isWhole(b, shape.n) && isWhole(i.type, shape.n);
    }

    // Divides a matrix among the subgroups, so that each reads as few lines of A and B as possible.
    std::optional<TileGrid> divide(const MatrixDimensions& d, const MatrixShape& shape) const {
        std::optional<TileGrid> best;
        for (uint32_t down = 1; down <= subgroups_; ++down) {
            const uint32_t across = subgroups_ / down;
            if (down * across != subgroups_ || d.rows % (down * shape.m) != 0 ||
                d.columns % (across * shape.n) != 0 || shape.m % kWorkgroupBlock != 0 ||
                shape.n % kWorkgroupBlock != 0) {
                continue;
            }
            const TileGrid grid = {shape.m,
                                   shape.n,
                                   shape.k,
                                   down,
                                   across,
                                   d.rows / (down * shape.m),
                                   d.columns / (across * shape.n)};
            if (!best || linesOf(grid) < linesOf(*best)) best = grid;
        }
        return best;
    }

    static uint32_t linesOf(const TileGrid& g) { return g.down * g.rows + g.across * g.columns; }

    // The one with fewer lines is better; of equal ones, that with larger tiles.
    static bool isBetter(const TileGrid& a, const TileGrid& b) {
        if (linesOf(a) != linesOf(b)) return linesOf(a) < linesOf(b);
        return a.rows * a.columns * a.depth > b.rows * b.columns * b.depth;
    }

    const Module& module_;
    const TypeTable& types_;
    std::vector<MatrixShape> shapes_;
    uint32_t subgroups_;
    TilePlan plan_;
    std::set<Id> excluded_;
};

}  // namespace

bool TilePlan::isTile(Id type) const {
    return std::ranges::any_of(types, [&](const auto& entry) { return entry.second == type; });
}

Id TilePlan::tileType(TypeTable& table, Id component, uint32_t rows, uint32_t columns, Use use) {
    Id& type = types[{component, rows, columns, static_cast<uint32_t>(use)}];
    if (type != 0) return type;
    const auto constant = [&](uint32_t value) { return idOperand(table.constantU32(value)); };
    type = table.module().takeId();
    table.module().append(
        Section::kGlobals,
        makeInstruction(
            OpTypeCooperativeMatrixKHR, 0, type,
            {idOperand(component), constant(static_cast<uint32_t>(spv::Scope::Subgroup)),
             constant(rows), constant(columns), constant(static_cast<uint32_t>(use))}));
    return type;
}

TilePlan planTiles(const Module& module, const TypeTable& types, const PlannedTarget& target,
                   uint32_t invocations) {
    return GridPlanner(module, types, target, invocations).run();
}

Operands TileMemory::access(Operands operands, const LinesInMemory& lines) {
    using enum spv::CooperativeMatrixLayout;
    const auto layout = static_cast<uint32_t>(lines.areColumns ? ColumnMajorKHR : RowMajorKHR);
    operands.push_back(idOperand(emit_.constant(layout)));
    operands.push_back(idOperand(emit_.constant(lines.stride / 4)));
    append(operands, nonPrivateAccess(context_.module));
    return operands;
}

Id TileMemory::load(Id type, const LinesInMemory& lines, Id row, Id column) {
    return emit_.op(OpCooperativeMatrixLoadKHR, type,
                    access({idOperand(pointer(lines, row, column))}, lines));
}

void TileMemory::store(Id tile, const LinesInMemory& lines, Id row, Id column) {
    emit_.opVoid(OpCooperativeMatrixStoreKHR,
                 access({idOperand(pointer(lines, row, column)), idOperand(tile)}, lines));
}

SubgroupPosition readSubgroupPosition(Emitter& emit, const TileGrid& grid) {
    const Id subgroup = readSubgroup(emit);
    return {emit.over(subgroup, grid.subgroupColumns), emit.modulo(subgroup, grid.subgroupColumns)};
}

}  // namespace coopvk::rewrite
