// SPDX-License-Identifier: Apache-2.0
//
// What computes the products of `coopvk probe --sums`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compare/probe/sum_inputs.hpp"
#include "compare/run/gpu.hpp"

namespace coopvk::compare {

class ProductDevice {
 public:
    virtual ~ProductDevice() = default;
    virtual std::string name() const = 0;
    virtual std::vector<MatrixRow> rows() = 0;
    // Elements of the results, as those of `c`. Throws std::exception.
    virtual std::vector<uint64_t> compute(const Products& products) = 0;
};

// The matrices of a Vulkan device: its own, or coopvk's. Rows that are not read are printed.
std::unique_ptr<ProductDevice> matrixProducts(Gpu& gpu, bool emulated);

// The instructions of NVIDIA's GPUs since Ada (`mma.sync` of the PTX ISA), also of types for which
// the driver lists no matrices. Throws std::exception if there is no such GPU or driver.
std::unique_ptr<ProductDevice> ptxProducts(uint32_t device);

}  // namespace coopvk::compare
