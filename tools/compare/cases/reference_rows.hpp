// SPDX-License-Identifier: Apache-2.0
//
// What the reference device lists, as the rows of a native side. It lists no vector matrices that a
// driver converts.
#pragma once

#include "compare/cases/matrix2_rows.hpp"
#include "compare/cases/vector_rows.hpp"

namespace coopvk::compare {

MatrixRows referenceRows(Dialect dialect);
// Of granularity 16, which suits most devices whose results may be compared with them.
FlexibleRows referenceFlexibleRows();
VectorProperties referenceVectors();

}  // namespace coopvk::compare
