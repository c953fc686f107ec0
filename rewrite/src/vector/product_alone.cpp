// SPDX-License-Identifier: Apache-2.0
//
// A matrix-vector product by one invocation. The code is bounded: rows are looped over some at a
// time, and what is unrolled along a line stops at kUnrolledUnits operands.
#include <algorithm>

#include "vector/product.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kUnrolledUnits = 64;
constexpr uint32_t kRows = 4;  // lines that are rows: this many at once
// Lines that are columns: this many rows at once. A processor has no more registers for their sums,
// and LLVM 21 overwrites sums that it has too many of (docs/conformance.md).
constexpr uint32_t kColumnRows = 32;
constexpr uint32_t kColumnRowsOfCpu = 16;

class Alone {
 public:
    explicit Alone(const ProductWork& work)
        : f_(work.function),
          emit_(work.function.emit()),
          types_(work.function.types()),
          p_(work.product),
          result_(work.result),
          arithmetic_(work.arithmetic),
          input_(work.input),
          memory_(work.matrix),
          stride_(work.parameters.stride) {}

    void byRows() {
        const bool unrolled = input_.hasValues();
        const uint32_t rows = kRows;
        const uint32_t blocks = (p_.m + rows - 1) / rows;
        f_.repeat(blocks, 1, [&](Id block) {
            const Id first = emit_.mulInt(u32(), block, c(rows));
            std::vector<VectorMemory::Line> lines;
            for (uint32_t r = 0; r < rows; ++r) {
                Id row = emit_.addInt(u32(), first, c(r));
                if (p_.m % rows != 0) row = clampRow(row);
                lines.push_back(lineAt(row));
            }
            const std::vector<Id> totals = unrolled ? sumLines(lines) : sumLongLines(lines);
            result_.store(first, totals, blocks * rows);
        });
    }

    void byColumns() {
        const uint32_t perQuad = 16 / p_.matrixType.bytes();
        const bool isCpu = f_.context().target.device.isCpu;
        const uint32_t rows = std::max(isCpu ? kColumnRowsOfCpu : kColumnRows, perQuad);
        const uint32_t whole = p_.m / rows;
        f_.repeat(whole, 1, [&](Id block) {
            const Id first = emit_.mulInt(u32(), block, c(rows));
            result_.store(first, sumColumns(first, rows * p_.matrixType.bytes(), rows),
                          whole * rows);
        });
        const uint32_t rest = p_.m % rows;
        if (rest == 0) return;
        const uint32_t bytes = p_.lineBytes() - whole * rows * p_.matrixType.bytes();
        std::vector<Id> totals = sumColumns(c(whole * rows), bytes, rest);
        totals.resize((rest + kRows - 1) / kRows * kRows, totals.back());
        result_.store(c(whole * rows), totals, 0);
    }

 private:
    Id u32() { return types_.uint32(); }
    Id c(uint32_t value) { return types_.constantU32(value); }

    Id clampRow(Id row) {
        if (const auto known = emit_.module().constantValue(row)) {
            return c(std::min(static_cast<uint32_t>(*known), p_.m - 1));
        }
        return glslMin(emit_, row, p_.m - 1);
    }

    VectorMemory::Line lineAt(Id index) {
        const Id offset = emit_.mulInt(u32(), index, stride_);
        return memory_.line(emit_.addInt(u32(), memory_.start(), offset));
    }

    // Words of a line and the inputs that belong to them; inputs that are 0 lie beyond the line.
    void addWords(std::span<const Id> words, std::span<const Id> inputs, Id& accumulator) {
        std::vector<Id> weights;
        for (Id word : words) {
            const std::vector<Id> units = arithmetic_.units(word);
            weights.insert(weights.end(), units.begin(), units.end());
        }
        accumulator = arithmetic_.addProducts(weights, inputs, accumulator);
    }

    std::vector<Id> inputsAt(uint32_t unit, uint32_t count) {
        std::vector<Id> inputs;
        for (uint32_t u = 0; u < count; ++u) {
            inputs.push_back(unit + u < input_.units() ? input_.unit(unit + u) : 0);
        }
        return inputs;
    }

    std::vector<Id> totalsOf(const std::vector<Id>& accumulators) {
        std::vector<Id> totals;
        for (Id accumulator : accumulators) totals.push_back(arithmetic_.total(accumulator));
        return totals;
    }

    std::vector<Id> sumLines(std::vector<VectorMemory::Line>& lines) {
        std::vector<Id> sums(lines.size(), arithmetic_.zero());
        const uint32_t bytes = p_.lineBytes();
        for (uint32_t at = 0; at < bytes; at += 16) {
            addPiece(lines, at, std::min(16u, bytes - at), sums);
        }
        return totalsOf(sums);
    }

    // Up to 16 bytes of each line, with inputs that are known by constant index.
    void addPiece(std::vector<VectorMemory::Line>& lines, uint32_t at, uint32_t bytes,
                  std::vector<Id>& sums) {
        for (size_t r = 0; r < lines.size(); ++r) {
            const std::vector<Id> words =
                bytes == 16 ? lines[r].quad(at / 16) : lines[r].tail(at, bytes);
            const auto units = static_cast<uint32_t>(words.size()) * arithmetic_.unitsPerWord();
            addWords(words, inputsAt(at / 4 * arithmetic_.unitsPerWord(), units), sums[r]);
        }
    }

    std::vector<Id> sumLongLines(std::vector<VectorMemory::Line>& lines) {
        std::vector<Id> variables;
        for (size_t r = 0; r < lines.size(); ++r) {
            variables.push_back(f_.variable(arithmetic_.sumType()));
            f_.store(variables[r], arithmetic_.zero());
        }
        // Whole quads of real components in the loop, the rest behind it.
        const uint32_t quads = p_.k * p_.matrixType.bytes() / 16;
        const uint32_t unitsPerQuad = 4 * arithmetic_.unitsPerWord();
        f_.loop(quads, [&](Id q) {
            const Id bytes = emit_.mulInt(u32(), q, c(16));
            const Id firstUnit = emit_.mulInt(u32(), q, c(unitsPerQuad));
            std::vector<Id> inputs;
            for (uint32_t u = 0; u < unitsPerQuad; ++u) {
                inputs.push_back(input_.unitAt(emit_.addInt(u32(), firstUnit, c(u))));
            }
            for (size_t r = 0; r < lines.size(); ++r) {
                auto piece = memory_.line(emit_.addInt(u32(), lines[r].bytes(), bytes));
                const std::vector<Id> words = piece.quad(0);
                Id sum = f_.load(variables[r]);
                addWords(words, inputs, sum);
                f_.store(variables[r], sum);
            }
        });
        std::vector<Id> sums;
        for (Id variable : variables) sums.push_back(f_.load(variable));
        if (const uint32_t at = 16 * quads; at < p_.lineBytes()) {
            addPiece(lines, at, p_.lineBytes() - at, sums);
        }
        return totalsOf(sums);
    }

    // Totals of `rows` rows from `first` on, whose elements take `bytes` bytes of each column.
    std::vector<Id> sumColumns(Id first, uint32_t bytes, uint32_t rows) {
        const uint32_t perWord = 4 / p_.matrixType.bytes();
        const uint32_t pair = arithmetic_.sum() == Sum::kHalfPairs ? 2 : 1;
        std::vector<Id> variables;
        for (uint32_t v = 0; v < (rows + pair - 1) / pair; ++v) {
            variables.push_back(f_.variable(arithmetic_.sumType()));
            f_.store(variables[v], arithmetic_.zero());
        }
        const Id skipped = emit_.mulInt(u32(), first, c(p_.matrixType.bytes()));
        f_.loop(p_.k, [&](Id k) {
            const Id x = input_.scalarAt(k);
            const Id start = emit_.addInt(u32(), lineAt(k).bytes(), skipped);
            auto line = memory_.line(start);
            const std::vector<Id> words = line.words(bytes);
            for (uint32_t w = 0; w < words.size(); ++w) {
                const std::vector<Id> weights = arithmetic_.units(words[w]);
                for (uint32_t u = 0; u < weights.size(); ++u) {
                    const uint32_t v = w * perWord / pair + u;
                    if (v >= variables.size()) continue;
                    const Id sum = f_.load(variables[v]);
                    f_.store(variables[v], arithmetic_.multiplyAdd(weights[u], x, sum));
                }
            }
        });
        std::vector<Id> totals;
        for (Id variable : variables) {
            const Id sum = f_.load(variable);
            if (pair == 1) {
                totals.push_back(sum);
                continue;
            }
            for (uint32_t part = 0; part < 2; ++part) {
                totals.push_back(emit_.extract(types_.floatType(16), sum, {part}));
            }
        }
        totals.resize(rows);
        return totals;
    }

    VectorFunction& f_;
    Emitter& emit_;
    TypeTable& types_;
    const VectorMatrixMul& p_;
    ProductResult& result_;
    Arithmetic& arithmetic_;
    ProductInput& input_;
    VectorMemory& memory_;
    Id stride_;
};

}  // namespace

uint32_t rowsAlone(const VectorMatrixMul& product) {
    return (product.m + kRows - 1) / kRows * kRows;
}

void prepareAlone(const VectorMatrixMul& product, ProductInput& input) {
    if (product.linesAreRows()) {
        input.makeUnits(input.units() <= kUnrolledUnits);
    } else {
        input.makeScalars();
    }
}

void multiplyAlone(const ProductWork& work) {
    Alone alone(work);
    if (work.product.linesAreRows()) {
        alone.byRows();
    } else {
        alone.byColumns();
    }
}

}  // namespace coopvk::rewrite
