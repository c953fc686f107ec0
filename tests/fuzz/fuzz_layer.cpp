// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's target for the layer.
#include <cstdio>
#include <cstdlib>

#include "check_layer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (const auto complaint = coopvk::fuzz::checkLayer({data, size})) {
        std::fprintf(stderr, "%s\n", complaint->c_str());
        std::abort();
    }
    return 0;
}
