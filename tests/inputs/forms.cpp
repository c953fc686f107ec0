// SPDX-License-Identifier: Apache-2.0
#include "forms.hpp"

namespace coopvk::test {

Words compiled(const Input& input, Variant variant) {
    if (hasOneForm(input)) return assemble(input.source, Checked::kNo);
    if (!input.unoptimised.empty()) return assemble(input.source);
    if (input.isAssembly) return optimised(assemble(input.source), variant);
    return compileGlsl(input.source, variant);
}

}  // namespace coopvk::test
