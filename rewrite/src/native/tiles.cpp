// SPDX-License-Identifier: Apache-2.0
#include "native/tiles.hpp"

#include "ir/arithmetic_decorations.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

std::vector<Id> splitTiles(Emitter& emit, const TiledType& type, Id value) {
    if (!type.isTiled()) return {value};
    std::vector<Id> tiles;
    for (uint32_t t = 0; t < type.tiles(); ++t)
        tiles.push_back(emit.extract(type.tile, value, {t}));
    return tiles;
}

void joinTiles(Emitter& emit, const TiledType& type, std::span<const Id> tiles, Id result) {
    const spv::Op opcode = type.isTiled() ? spv::Op::OpCompositeConstruct : spv::Op::OpCopyObject;
    emit.add(makeInstruction(opcode, type.id, result, idOperands(tiles)));
}

namespace {

// Pointer of the tile at (row, column) of the grid.
Id tilePointer(const TiledType& type, const TileAccess& access, const TilePointer& pointer,
               uint32_t row, uint32_t column) {
    row *= type.tileRows;
    column *= type.tileColumns;
    return access.columnMajor ? pointer(column, row) : pointer(row, column);
}

void addAccess(Operands& operands, const TileAccess& access) {
    operands.push_back(idOperand(access.layout));
    operands.push_back(idOperand(access.stride));
    operands.insert(operands.end(), access.memory.begin(), access.memory.end());
}

}  // namespace

bool loadTiles(Emitter& emit, const TiledType& type, const TileAccess& access,
               const TilePointer& pointer, Id result) {
    std::vector<Id> tiles;
    for (uint32_t row = 0; row < type.down(); ++row) {
        for (uint32_t column = 0; column < type.across(); ++column) {
            const Id from = tilePointer(type, access, pointer, row, column);
            if (from == 0) return false;
            Operands operands = {idOperand(from)};
            addAccess(operands, access);
            tiles.push_back(
                emit.op(spv::Op::OpCooperativeMatrixLoadKHR, type.tile, std::move(operands)));
        }
    }
    joinTiles(emit, type, tiles, result);
    return true;
}

bool storeTiles(Emitter& emit, const TiledType& type, const TileAccess& access,
                const TilePointer& pointer, Id value) {
    const std::vector<Id> tiles = splitTiles(emit, type, value);
    for (uint32_t row = 0; row < type.down(); ++row) {
        for (uint32_t column = 0; column < type.across(); ++column) {
            const Id to = tilePointer(type, access, pointer, row, column);
            if (to == 0) return false;
            Operands operands = {idOperand(to), idOperand(tiles[row * type.across() + column])};
            addAccess(operands, access);
            emit.opVoid(spv::Op::OpCooperativeMatrixStoreKHR, std::move(operands));
        }
    }
    return true;
}

void multiplyTiles(Emitter& emit, const NativePlan& plan, const Instruction& mulAdd) {
    const auto typeOf = [&](Id value) -> const TiledType& {
        return plan.types.at(emit.typeOf(value));
    };
    const TiledType& a = typeOf(mulAdd.word(0));
    const TiledType& b = typeOf(mulAdd.word(1));
    const TiledType& result = plan.types.at(mulAdd.type);
    const std::vector<Id> as = splitTiles(emit, a, mulAdd.word(0));
    const std::vector<Id> bs = splitTiles(emit, b, mulAdd.word(1));
    std::vector<Id> sums = splitTiles(emit, typeOf(mulAdd.word(2)), mulAdd.word(2));
    // Step by step along K: neighbouring products are independent of each other.
    for (uint32_t k = 0; k < a.across(); ++k) {
        for (uint32_t row = 0; row < result.down(); ++row) {
            for (uint32_t column = 0; column < result.across(); ++column) {
                Id& sum = sums[row * result.across() + column];
                Operands operands = {idOperand(as[row * a.across() + k]),
                                     idOperand(bs[k * b.across() + column]), idOperand(sum)};
                operands.insert(operands.end(), mulAdd.operands.begin() + 3, mulAdd.operands.end());
                sum = emit.op(spv::Op::OpCooperativeMatrixMulAddKHR, result.tile,
                              std::move(operands));
            }
        }
    }
    joinTiles(emit, result, sums, mulAdd.result);
}

namespace {

bool isElementWise(spv::Op opcode) {
    return isArithmetic(opcode) || isConversion(opcode) || opcode == spv::Op::OpMatrixTimesScalar ||
           opcode == spv::Op::OpCompositeConstruct ||
           opcode == spv::Op::OpCompositeConstructReplicateEXT;
}

}  // namespace

bool mapTiles(Emitter& emit, const NativePlan& plan, const Instruction& instruction) {
    const auto found = plan.types.find(instruction.type);
    if (found == plan.types.end() || !found->second.isTiled()) return false;
    if (!isElementWise(instruction.opcode)) return false;
    const TiledType& type = found->second;
    // Operands that are no matrices (scalars) go to every tile.
    std::vector<std::vector<Id>> operands;
    for (const Operand& operand : instruction.operands) {
        const auto matrix = plan.types.find(emit.typeOf(operand.word));
        operands.push_back(matrix == plan.types.end()
                               ? std::vector<Id>(type.tiles(), operand.word)
                               : splitTiles(emit, matrix->second, operand.word));
    }
    const ArithmeticDecorations decorations(emit.module(), instruction.result);
    std::vector<Id> tiles;
    for (uint32_t t = 0; t < type.tiles(); ++t) {
        Operands ids;
        for (const std::vector<Id>& operand : operands) {
            ids.push_back(idOperand(operand[std::min<size_t>(t, operand.size() - 1)]));
        }
        tiles.push_back(emit.op(instruction.opcode, type.tile, std::move(ids)));
        decorations.addTo(tiles.back());
    }
    decorations.removeFrom(instruction.result);
    joinTiles(emit, type, tiles, instruction.result);
    return true;
}

}  // namespace coopvk::rewrite
