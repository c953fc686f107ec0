// SPDX-License-Identifier: Apache-2.0
//
// A matrix-vector product by one invocation. Loops bound the size of the code: over groups of rows,
// and along lines of more than DevicePlan::unrolledUnits units.
#include "vector/product.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kRowsAlone = 4;  // of which results have multiples

class InvocationProduct : private VectorCode {
 public:
    explicit InvocationProduct(const ProductWork& work)
        : VectorCode(work.function), work_(work), p_(work.product), arithmetic_(work.arithmetic) {}

    void byRows() {
        // Where loads are in loops, compilers move none of whole lines to the front.
        const uint32_t rows = work_.input.hasValues() ? device().linesAtOnce : kRowsAlone;
        const uint32_t blocks = divideUp(p_.m, rows);
        f_.loopAbove(1, blocks, [&](Id block) {
            const Id first = times(block, rows);
            std::vector<VectorMemory::Line> lines;
            for (uint32_t r = 0; r < rows; ++r) {
                Id row = plus(first, r);
                if (p_.m % rows != 0) row = atMost(emit_, row, p_.m - 1);
                lines.push_back(lineAt(row));
            }
            const std::vector<Id> sums =
                work_.input.hasValues() ? sumLines(lines) : sumLongLines(lines);
            std::vector<Id> totals;
            for (Id sum : sums) totals.push_back(arithmetic_.total(sum, p_.hasBias));
            work_.result.store(first, totals, blocks * rows);
        });
    }

    void byColumns() {
        const uint32_t perQuad = 16 / p_.matrixType.bytes();
        const uint32_t rows = std::max(device().rowsAtOnce, perQuad);
        const uint32_t whole = p_.m / rows;
        f_.loopAbove(1, whole, [&](Id block) {
            const Id first = times(block, rows);
            work_.result.store(first, sumColumns(first, rows * p_.matrixType.bytes(), rows),
                               whole * rows);
        });
        const uint32_t rest = p_.m % rows;
        if (rest == 0) return;
        const uint32_t bytes = p_.lineBytes() - whole * rows * p_.matrixType.bytes();
        std::vector<Id> totals = sumColumns(c(whole * rows), bytes, rest);
        totals.resize(divideUp(rest, kRowsAlone) * kRowsAlone, totals.back());
        work_.result.store(c(whole * rows), totals, 0);
    }

 private:
    VectorMemory::Line lineAt(Id index) {
        return work_.matrix.fromStart(
            startOfLine(emit_, p_.inBlocks, work_.parameters.stride, index), p_.quadBytes());
    }

    std::vector<Id> sumLines(std::vector<VectorMemory::Line>& lines) {
        std::vector<Id> sums(lines.size(), arithmetic_.zero());
        const uint32_t bytes = p_.lineBytes();
        for (uint32_t at = 0; at < bytes; at += 16) {
            addPiece(lines, at, std::min(16u, bytes - at), sums);
        }
        return sums;
    }

    // Adds the products with up to 16 bytes of each line from byte `at` on.
    void addPiece(std::vector<VectorMemory::Line>& lines, uint32_t at, uint32_t bytes,
                  std::vector<Id>& sums) {
        const uint32_t first = at / 4 * arithmetic_.unitsPerWord();
        for (size_t r = 0; r < lines.size(); ++r) {
            const std::vector<Id> words = lines[r].load(at, bytes);
            const auto units = static_cast<uint32_t>(words.size()) * arithmetic_.unitsPerWord();
            const uint32_t end = first + units, inner = std::min(end, work_.input.units());
            std::vector<Id> inputs;
            for (uint32_t u = first; u < (work_.addsPadding ? end : inner); ++u) {
                inputs.push_back(work_.input.unit(u));
            }
            sums[r] = arithmetic_.addProducts(arithmetic_.units(words), inputs, sums[r]);
        }
    }

    std::vector<Id> sumLongLines(std::vector<VectorMemory::Line>& lines) {
        const std::vector<Id> variables = sumVariables(lines.size());
        // The loop has the quads without padding.
        const uint32_t quads = p_.k * p_.matrixType.bytes() / 16;
        const uint32_t unitsPerQuad = 4 * arithmetic_.unitsPerWord();
        f_.loop(quads, [&](Id q) {
            const Id bytes = times(q, p_.quadBytes());
            const Id firstUnit = times(q, unitsPerQuad);
            std::vector<Id> inputs;
            for (uint32_t u = 0; u < unitsPerQuad; ++u) {
                inputs.push_back(work_.input.unitAt(plus(firstUnit, u)));
            }
            for (size_t r = 0; r < lines.size(); ++r) {
                auto piece = work_.matrix.line(emit_.sum(lines[r].bytes(), bytes));
                const std::vector<Id> words = piece.load(0, 16);
                const Id sum = f_.load(variables[r]);
                f_.store(variables[r],
                         arithmetic_.addProducts(arithmetic_.units(words), inputs, sum));
            }
        });
        std::vector<Id> sums;
        for (Id variable : variables) sums.push_back(f_.load(variable));
        if (const uint32_t at = 16 * quads; at < p_.lineBytes()) {
            addPiece(lines, at, p_.lineBytes() - at, sums);
        }
        return sums;
    }

    std::vector<Id> sumVariables(size_t count) {
        std::vector<Id> variables;
        for (size_t v = 0; v < count; ++v) {
            variables.push_back(f_.variable(arithmetic_.sumType()));
            f_.store(variables[v], arithmetic_.zero());
        }
        return variables;
    }

    // Totals of `rows` rows from `first` on, which take `bytes` bytes of each column.
    std::vector<Id> sumColumns(Id first, uint32_t bytes, uint32_t rows) {
        const uint32_t perWord = 4 / p_.matrixType.bytes();
        const std::vector<Id> variables = sumVariables(rows);
        // A multiple of 16 bytes of the column.
        const Id firstByte = times(first, p_.matrixType.bytes() * p_.quadBytes() / 16);
        f_.loop(p_.k, [&](Id k) {
            const Id x = work_.input.unitAt(k);
            const Id start = emit_.sum(lineAt(k).bytes(), firstByte);
            const std::vector<Id> words = work_.matrix.line(start, p_.quadBytes()).load(0, bytes);
            for (uint32_t w = 0; w < words.size(); ++w) {
                const std::vector<Id> weights = arithmetic_.units({&words[w], 1});
                for (uint32_t u = 0; u < weights.size(); ++u) {
                    const uint32_t v = w * perWord + u;
                    if (v >= variables.size()) continue;
                    const Id sum = f_.load(variables[v]);
                    f_.store(variables[v], arithmetic_.multiplyAdd(weights[u], x, sum));
                }
            }
        });
        std::vector<Id> totals;
        for (Id variable : variables) totals.push_back(f_.load(variable));
        return totals;
    }

    const ProductWork& work_;
    const VectorMatrixMul& p_;
    Arithmetic& arithmetic_;
};

}  // namespace

uint32_t rowsAlone(const VectorMatrixMul& product) {
    return divideUp(product.m, kRowsAlone) * kRowsAlone;
}

void prepareAlone(const DevicePlan& device, const VectorMatrixMul& product, ProductInput& input) {
    if (product.linesAreRows()) {
        input.makeUnits(input.units() <= device.unrolledUnits);
    } else {
        input.makeScalars();
    }
}

void multiplyAlone(const ProductWork& work) {
    InvocationProduct product(work);
    if (work.product.linesAreRows()) {
        product.byRows();
    } else {
        product.byColumns();
    }
}

}  // namespace coopvk::rewrite
