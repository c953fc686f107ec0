// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/matrix_cases.hpp"

#include <algorithm>

#include "compare/cases/matrix_multiply.hpp"
#include "compare/cases/matrix_values.hpp"

namespace coopvk::compare {
namespace {

// A matrix type, and the first row that lists it.
struct Listed {
    MatrixType type;
    MatrixRow row;
};

// Every type once, with the sides that list it in any row.
std::vector<Listed> listedTypes(const std::vector<MatrixRow>& rows) {
    std::vector<Listed> all;
    for (const MatrixRow& row : rows) {
        const MatrixType types[] = {{row.a, row.m, row.k, Use::kA},
                                    {row.b, row.k, row.n, Use::kB},
                                    {row.c, row.m, row.n, Use::kAccumulator},
                                    {row.result, row.m, row.n, Use::kAccumulator}};
        for (const MatrixType& type : types) {
            const auto found = std::find_if(all.begin(), all.end(),
                                            [&](const Listed& l) { return l.type == type; });
            if (found == all.end()) {
                all.push_back({type, row});
            } else {
                found->row.native |= row.native;
                found->row.emulated |= row.emulated;
            }
        }
    }
    return all;
}

}  // namespace

std::vector<Case> matrixCases(Dialect dialect, const std::vector<MatrixRow>& rows) {
    std::vector<Case> cases;
    const std::vector<Listed> types = listedTypes(rows);
    for (const MatrixRow& row : rows) {
        for (const Listed& listed : types) {
            if (!listed.row.sameAs(row)) continue;
            addLoadStore(dialect, listed.row, listed.type, cases);
        }
        addMultiplyAdd(dialect, row, cases);
        for (const Listed& listed : types) {
            if (!listed.row.sameAs(row)) continue;
            addArithmetic(dialect, listed.row, listed.type, cases);
            for (const Listed& target : types) {
                MatrixRow both = listed.row;
                both.native &= target.row.native;
                both.emulated &= target.row.emulated;
                if (both.native || both.emulated)
                    addConversion(dialect, both, listed.type, target.type, cases);
            }
        }
    }
    return cases;
}

}  // namespace coopvk::compare
