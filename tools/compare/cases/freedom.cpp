// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/plan.hpp"

namespace coopvk::compare {

Freedom freedomOfSum(Component result, uint32_t terms,
                     const std::function<Plan(bool magnitudes)>& make) {
    Freedom freedom;
    freedom.exact = std::make_shared<const Plan>(make(false));
    freedom.magnitudes = std::make_shared<const Plan>(make(true));
    // Of n terms, each is rounded once as a product and at most n - 1 times in sums. A rounding in
    // any direction costs up to one epsilon; denormal results may be flushed at each step.
    const Real steps = terms;
    freedom.tolerance = [=](size_t, Real, Real magnitude) {
        return magnitude == 0 ? Real{0}
                              : steps * (epsilon(result) * magnitude + smallestNormal(result));
    };
    return freedom;
}

}  // namespace coopvk::compare
