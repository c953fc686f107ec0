// SPDX-License-Identifier: Apache-2.0
//
// Kernels that do the same work: times them alternately, and makes a table.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel.hpp"
#include "subjects.hpp"

namespace coopvk::bench {

struct Entry {
    std::string name;
    std::unique_ptr<Kernel> kernel;  // null: the driver refused it
    std::string verdict;             // on its result, or why there is none
};

// A table of entries, each compared with the first one.
class Comparison {
 public:
    Comparison(std::string title, Dispatch dispatch)
        : title_(std::move(title)), dispatch_(std::move(dispatch)) {}

    // Makes a kernel, runs it once with `checked`, and lets `check` check the result.
    void add(std::string name, Gpu& gpu, Words words, std::span<const uint32_t> constants,
             std::span<Buffer* const> buffers, const Dispatch& checked,
             const std::function<std::string()>& check);
    bool empty() const { return entries_.empty(); }
    // `work` of one dispatch, in units that `rate` prints per second.
    void print(const Options& options, double work, std::string (*rate)(double));

 private:
    std::string title_;
    Dispatch dispatch_;
    std::vector<Entry> entries_;
    bool cpu_ = false;
};

// "exact", or how many of all results are wrong.
std::string verdict(uint32_t wrong, uint32_t of);

}  // namespace coopvk::bench
