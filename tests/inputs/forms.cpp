// SPDX-License-Identifier: Apache-2.0
#include "forms.hpp"

#include <cstdlib>
#include <string_view>

namespace coopvk::test {

bool runsAllForms() {
    const char* text = std::getenv("COOPVK_TEST_FULL");
    return text != nullptr && std::string_view(text) == "1";
}

Words compiled(const Input& input, Variant variant) {
    if (input.isRefused) return assemble(input.source, Checked::kNo);
    if (!input.unoptimised.empty()) return assemble(input.source);
    if (input.isAssembly) return optimised(assemble(input.source), variant);
    return compileGlsl(input.source, variant);
}

}  // namespace coopvk::test
