// SPDX-License-Identifier: Apache-2.0
//
// Computes a product of matrices on the first device, with the layer above its driver.
#include <cstdio>

#include "../stacking/gpu.hpp"

int main() {
    Gpu gpu({});
    if (!gpu.hasMatrices()) {
        std::puts("the layer adds no matrices");
        return 1;
    }
    const VkDevice device = gpu.makeDevice(true);
    const bool right = gpu.computes(device, true) && gpu.computes(device, false);
    gpu.destroyDevice(device);
    std::puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}
