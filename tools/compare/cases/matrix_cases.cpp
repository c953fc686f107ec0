// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/matrix_cases.hpp"

#include <algorithm>

#include "compare/cases/matrix_multiply.hpp"
#include "compare/cases/matrix_values.hpp"

namespace coopvk::compare {
std::vector<ListedType> listedTypes(const std::vector<MatrixRow>& rows) {
    std::vector<ListedType> all;
    for (const MatrixRow& row : rows) {
        const MatrixType types[] = {{row.a, row.m, row.k, Use::kA},
                                    {row.b, row.k, row.n, Use::kB},
                                    {row.c, row.m, row.n, Use::kAccumulator},
                                    {row.result, row.m, row.n, Use::kAccumulator}};
        for (const MatrixType& type : types) {
            const auto found = std::find_if(all.begin(), all.end(), [&](const ListedType& l) {
                return l.type == type && l.row.workgroup == row.workgroup;
            });
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

std::vector<Case> matrixCases(Dialect dialect, const std::vector<MatrixRow>& rows) {
    std::vector<Case> cases;
    const std::vector<ListedType> types = listedTypes(rows);
    for (const MatrixRow& row : rows) {
        for (const ListedType& listed : types) {
            if (!listed.row.sameAs(row)) continue;
            addLoadStore(dialect, listed.row, listed.type, cases);
        }
        addMultiplyAdd(dialect, row, cases);
        for (const ListedType& listed : types) {
            if (!listed.row.sameAs(row)) continue;
            addArithmetic(dialect, listed.row, listed.type, cases);
            for (const ListedType& target : types) {
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
