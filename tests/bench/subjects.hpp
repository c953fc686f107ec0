// SPDX-License-Identifier: Apache-2.0
//
// What can be measured; each subject prints Markdown tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace coopvk::bench {

struct Options {
    uint32_t device = 0;
    uint32_t rounds = 0;  // 0: the subject's own
    uint32_t size = 0;    // 0: what suits the device
    bool quick = false;
    // gemm: component types of the sums.
    std::vector<std::string> sums = {"f32", "f16"};
    // gemm: layouts to measure in addition to the rewriter's choice, as for `coopvk rewrite
    // --tune`.
    std::vector<std::string> tunings;
    // Files: gemm: already rewritten shaders to time natively; rewriting: shaders to rewrite.
    std::vector<std::string> spirv;
    // rewriting: specialization constants of those files.
    std::vector<std::string> constants;
};

struct Subject {
    const char* name;
    const char* what;
    void (*run)(const Options& options);
};

std::span<const Subject> subjects();

void benchBlocks(const Options& options);
void benchFloats(const Options& options);
void benchGemm(const Options& options);
void benchInt4(const Options& options);
void benchNvGemm(const Options& options);
void benchRewriting(const Options& options);
void benchVectorPipelines(const Options& options);
void benchVectors(const Options& options);

}  // namespace coopvk::bench
