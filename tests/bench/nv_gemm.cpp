// SPDX-License-Identifier: Apache-2.0
//
// The product of gemm.cpp written with VK_NV_cooperative_matrix: the driver's own, coopvk's on the
// driver's VK_KHR_cooperative_matrix, and coopvk's on core SPIR-V.
#include <cstdio>
#include <optional>

#include "gemm_problem.hpp"
#include "shaders.hpp"
#include "subjects.hpp"
#include "table.hpp"

namespace coopvk::bench {
namespace {

struct NvWay {
    const char* name;
    Layer layer;
    LayerSettings settings;
};
constexpr const char* kNv = VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME;
// The driver's own come first: the others are compared with it.
constexpr NvWay kNvWays[] = {{"native", Layer::kAbsent, {}},
                             {"on native KHR matrices", Layer::kPresent, {kNv, "native"}},
                             {"on core SPIR-V", Layer::kPresent, {"all", "core"}}};

// A way, if the device has it.
struct NvContestant {
    NvContestant(const NvWay& way, const Options& options)
        : gpu(way.layer, options.device, way.settings),
          problem(gemmSize(options, gpu)),
          buffers(gpu, problem) {}
    Gpu gpu;
    GemmProblem problem;
    GemmBuffers buffers;
};

bool possible(const NvWay& way, const Options& options) {
    const Gpu native(Layer::kAbsent, options.device);
    if (way.layer == Layer::kAbsent) return native.has(kNv);
    return std::string_view(way.settings.backEnd) == "core" ||
           native.has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
}

void compare(const GemmSum& sum, std::span<const std::unique_ptr<NvContestant>> contestants,
             const Options& options) {
    const GemmProblem& problem = contestants.back()->problem;
    Comparison table(std::string(sum.name) + " sums", problem.dispatch());
    for (size_t i = 0; i < contestants.size(); ++i) {
        if (!contestants[i]) continue;
        NvContestant& contestant = *contestants[i];
        contestant.buffers.poisonResult();
        const uint32_t threads = kGemmSubgroups * contestant.gpu.properties11.subgroupSize;
        table.add(kNvWays[i].name, contestant.gpu,
                  builtInShader("nv_gemm_" + std::string(sum.name)), std::span(&threads, 1),
                  contestant.buffers.list(), problem.dispatch(),
                  [&] { return problem.verdictOn(contestant.buffers.c.read(), sum); });
    }
    table.print(options, problem.operations(), flops);
}

}  // namespace

void benchNvGemm(const Options& options) {
    std::vector<std::unique_ptr<NvContestant>> contestants;
    for (const NvWay& way : kNvWays) {
        contestants.push_back(possible(way, options) ? std::make_unique<NvContestant>(way, options)
                                                     : nullptr);
    }
    const NvContestant& core = *contestants.back();
    std::printf("## nv-gemm: f16, %u x %u x %u, 16x16x16\n\n%s, subgroup size %u\n\n",
                core.problem.size, core.problem.size, core.problem.size, core.gpu.name().c_str(),
                core.gpu.properties11.subgroupSize);
    for (const GemmSum& sum : wantedSums(options)) compare(sum, contestants, options);
}

}  // namespace coopvk::bench
