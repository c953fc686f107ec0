// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/matrix_values.hpp"

#include <cmath>

#include "compare/cases/element_operations.hpp"

namespace coopvk::compare {
namespace {

struct ValueVariant {
    Dialect dialect;
    uint32_t workgroup;  // as MatrixRow has it
    MatrixType from, to;
    bool fromColumns = false, toColumns = false;
    size_t padding = 0;
    Storage storage = Storage::kBuffer;
    std::string name;
    uint32_t words = 0;  // 32-bit words in an element of the arrays; 0: they hold components
};

using Draw = std::function<Matrix(Rng& rng, uint32_t operand)>;

Plan matrixPlan(const ValueVariant& v, uint32_t inputs, const DeviceShape& device, uint64_t seed,
                const Draw& draw, const MatrixProgram::Step& step, bool isImprecise = false) {
    std::vector<Block> blocks(
        inputs, placed(v.from.component, v.from.rows, v.from.columns, v.fromColumns, v.padding));
    blocks.push_back(placed(v.to.component, v.to.rows, v.to.columns, v.toColumns, v.padding));
    const auto operand = [&](const MatrixType& type, const Block& block) {
        return v.words
                   ? MatrixProgram::Operand(type, block, {VK_COMPONENT_TYPE_UINT32_KHR, v.words})
                   : MatrixProgram::Operand(type, block);
    };
    Plan plan;
    plan.assembly =
        spirvOf(MatrixProgram{v.dialect, v.storage, v.workgroup ? v.workgroup : device.subgroupSize,
                              std::vector(inputs, operand(v.from, blocks[0])),
                              operand(v.to, blocks[inputs]), step, scopeOf(v.workgroup)});
    Rng rng(seed, v.name);
    for (uint32_t i = 0; i <= inputs; ++i) {
        plan.buffers.push_back(rng.bytes(blocks[i].end()));
        plan.labels.push_back(i == inputs ? "result" : "input " + std::to_string(i));
        if (v.storage == Storage::kAddress) plan.addresses.push_back(i);
        if (i == inputs) continue;
        scatter(draw(rng, i), blocks[i], plan.buffers[i]);
    }
    plan.output = inputs;
    plan.result = blocks[inputs];
    plan.freedom = {.rounds = !std::holds_alternative<MatrixProgram::Copy>(step),
                    .inIntervals = isImprecise};
    return plan;
}

// Any number, also denormals.
Matrix anyNumbers(Rng& rng, const MatrixType& type) {
    Matrix matrix = randomMatrix(rng, type.component, type.rows, type.columns, Fill::kRandom);
    if (!info(type.component).isFloat()) return matrix;
    for (uint64_t& element : matrix.elements) {
        const uint64_t bits = maskBits(rng.next(), info(type.component).bits);
        if (std::isfinite(decode(type.component, bits))) element = bits;
    }
    return matrix;
}

std::string direction(bool columns) { return columns ? "columns" : "rows"; }

void add(std::vector<Case>& cases, const MatrixRow& row, const char* operation,
         const std::string& name, std::function<Plan(const DeviceShape&, uint64_t)> make) {
    cases.push_back({name, nameOf(row), operation, row.native, row.emulated, std::move(make)});
}

}  // namespace

void addLoadStore(Dialect dialect, const MatrixRow& row, const MatrixType& type,
                  std::vector<Case>& cases) {
    const auto addCase = [&](ValueVariant v, const std::string& suffix) {
        v.name = nameOf(row, type) + "/load-store/" + direction(v.fromColumns) + " to " +
                 direction(v.toColumns) + ", " + std::string(nameOf(v.storage)) + suffix;
        add(cases, row, "load-store", v.name, [v](const DeviceShape& device, uint64_t seed) {
            return matrixPlan(
                v, 1, device, seed, [&](Rng& rng, uint32_t) { return anyNumbers(rng, v.from); },
                MatrixProgram::Copy{});
        });
    };
    for (const Storage storage : kAllStorages) {
        if (!fits(storage, 2 * type.rows * type.columns * info(type.component).bytes())) continue;
        for (const bool fromColumns : {false, true}) {
            for (const bool toColumns : {false, true}) {
                ValueVariant v = {dialect, row.workgroup, type, type, fromColumns, toColumns,
                                  0,       storage,       {}};
                v.padding = fromColumns ? 16 : 0;
                // Shared memory and addresses: from each layout into the other.
                if (storage == Storage::kBuffer || fromColumns != toColumns) addCase(v, "");
                if (fromColumns != toColumns) continue;
                // Arrays of other elements than the matrix's: a line consists of whole elements of
                // the array.
                for (const uint32_t words : {1u, 4u}) {
                    const uint32_t line =
                        (fromColumns ? type.rows : type.columns) * info(type.component).bytes();
                    if (line % (4 * words) != 0) continue;
                    v.words = words;
                    addCase(v, words == 1 ? ", as u32" : ", as u32x4");
                }
            }
        }
    }
}

void addArithmetic(Dialect dialect, const MatrixRow& row, const MatrixType& type,
                   std::vector<Case>& cases) {
    for (const ElementOperation& operation : elementOperations(type.component)) {
        if (!hasArithmetic(type.component)) break;
        if (dialect == Dialect::kNv && !operation.inNvMatrix) continue;
        ValueVariant v = {dialect, row.workgroup,    type, type, false, true,
                          16,      Storage::kBuffer, {}};
        v.name = nameOf(row, type) + "/arithmetic/" + std::string(operation.opcode);
        add(cases, row, "arithmetic", v.name,
            [v, operation](const DeviceShape& device, uint64_t seed) {
                return matrixPlan(
                    v, operation.operands, device, seed,
                    [&](Rng& rng, uint32_t operand) {
                        return operation.draw(rng, v.from.component, v.from.rows, v.from.columns,
                                              operand);
                    },
                    Instruction(operation), operation.isImprecise);
            });
    }
    ValueVariant v = {dialect, row.workgroup, type, type, true, false, 0, Storage::kBuffer, {}};
    v.name = nameOf(row, type) + "/elements/each doubled";
    add(cases, row, "elements", v.name, [v](const DeviceShape& device, uint64_t seed) {
        return matrixPlan(
            v, 1, device, seed,
            [&](Rng& rng, uint32_t) {
                return randomMatrix(rng, v.from.component, v.from.rows, v.from.columns,
                                    Fill::kRandom);
            },
            MatrixProgram::DoubleEach{});
    });
}

void addConversion(Dialect dialect, const MatrixRow& row, const MatrixType& from,
                   const MatrixType& to, std::vector<Case>& cases) {
    if (from.use != to.use || from.rows != to.rows || from.columns != to.columns) return;
    ValueVariant v = {dialect, row.workgroup, from, to, false, false, 0, Storage::kBuffer, {}};
    const std::string name =
        nameOf(row, from) + "/conversion/to " + std::string(nameOf(to.component));
    for (const Instruction& instruction : conversions(from.component, to.component)) {
        v.name = name + (instruction.saturates ? ", saturated" : "");
        add(cases, row, "conversion", v.name,
            [v, instruction](const DeviceShape& device, uint64_t seed) {
                return matrixPlan(
                    v, 1, device, seed,
                    [&](Rng& rng, uint32_t) {
                        return drawForConversion(rng, v.from.component, v.to.component, v.from.rows,
                                                 v.from.columns);
                    },
                    instruction);
            });
    }
}

}  // namespace coopvk::compare
