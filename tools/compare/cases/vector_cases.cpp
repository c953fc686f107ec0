// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/vector_cases.hpp"

namespace coopvk::compare {

std::string nameOf(Layout layout) {
    constexpr const char* kNames[] = {"rows", "columns", "inferencing", "training"};
    return kNames[static_cast<size_t>(layout)];
}

std::vector<Case> vectorCases(const VectorProperties& properties) {
    std::vector<Case> cases;
    for (const VectorRow& row : properties.rows) addVectorMultiply(row, cases);
    addVectorTraining(properties, cases);
    addVectorValues(properties, cases);
    addMatrixConversions(properties, cases);
    return cases;
}

}  // namespace coopvk::compare
