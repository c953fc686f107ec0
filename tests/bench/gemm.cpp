// SPDX-License-Identifier: Apache-2.0
//
// A product of square matrices with cooperative matrices (shaders/gemm.comp): compares the driver's
// own with coopvk's.
#include <cstdio>

#include "coopvk/rewrite.hpp"
#include "device/device_facts.hpp"
#include "gemm_problem.hpp"
#include "shaders.hpp"
#include "subjects.hpp"
#include "table.hpp"

namespace coopvk::bench {
namespace {

struct Tile {
    uint32_t m, n, k;
    std::string name() const {
        return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    }
};
constexpr Tile kTiles[] = {{16, 16, 16}, {8, 8, 8}};

class Gemm {
 public:
    explicit Gemm(const Options& options)
        : options_(options),
          pair_(options.device),
          problem_(gemmSize(options, pair_.native)),
          nativeBuffers_(pair_.native, problem_),
          emulatedBuffers_(pair_.emulated, problem_) {}

    void run() {
        std::printf("## gemm: f16, %u x %u x %u\n\n%s, subgroup size %u\n\n", problem_.size,
                    problem_.size, problem_.size, pair_.native.name().c_str(),
                    pair_.native.properties11.subgroupSize);
        for (const GemmSum& sum : wantedSums(options_)) compare(sum);
    }

 private:
    // The driver's own come first: the others are compared with it.
    void compare(const GemmSum& sum) {
        Comparison table(std::string(sum.name) + " sums", problem_.dispatch());
        for (const Tile& tile : kTiles) {
            if (!pair_.native.multiplies(tile.m, tile.n, tile.k, sum.type)) continue;
            add(table, "native " + tile.name(), pair_.native, builtIn(sum, tile), sum);
            break;
        }
        for (const Tile& tile : kTiles)
            if (pair_.emulated.multiplies(tile.m, tile.n, tile.k, sum.type))
                add(table, "emulated " + tile.name(), pair_.emulated, builtIn(sum, tile), sum);
        for (const std::string& tuning : options_.tunings)
            for (const Tile& tile : kTiles)
                add(table, tuning + " " + tile.name(), pair_.native,
                    tuned(builtIn(sum, tile), tuning), sum);
        for (const std::string& file : options_.spirv)
            add(table, file.substr(file.rfind('/') + 1), pair_.native, readShader(file), sum);
        if (!table.empty()) table.print(options_, problem_.operations(), flops);
    }

    // Rewritten here, and run without the layer.
    std::vector<uint32_t> tuned(Words words, const std::string& text) {
        const auto tuning = rewrite::matrixTuningFromText(text);
        if (!tuning) throw std::runtime_error(tuning.error().message);
        const layer::DeviceQueries queries = layer::loadDeviceQueries(
            vkGetInstanceProcAddr, pair_.native.instance, VK_API_VERSION_1_3);
        rewrite::Target target;
        target.device = layer::queryDevice(queries, pair_.native.physical).traits;
        target.subgroupSize = target.device.subgroupSize;
        target.backEnd = rewrite::BackEnd::kCore;
        target.tuning = *tuning;
        const uint32_t threads = kGemmSubgroups * target.subgroupSize;
        const rewrite::SpecializationEntry entry = {0, std::as_bytes(std::span(&threads, 1))};
        rewrite::Request request;
        request.words = words;
        request.specialization = std::span(&entry, 1);
        auto rewritten = rewrite::rewrite(request, target);
        if (!rewritten) throw std::runtime_error(text + ": " + rewritten.error().message);
        return std::move(rewritten->words);
    }

    static Words builtIn(const GemmSum& sum, const Tile& tile) {
        return builtInShader("gemm_" + std::string(sum.name) + "_" + tile.name());
    }

    void add(Comparison& table, std::string name, Gpu& gpu, Words words, const GemmSum& sum) {
        GemmBuffers& buffers = &gpu == &pair_.native ? nativeBuffers_ : emulatedBuffers_;
        buffers.poisonResult();
        const uint32_t threads = kGemmSubgroups * gpu.properties11.subgroupSize;
        table.add(std::move(name), gpu, words, std::span(&threads, 1), buffers.list(),
                  problem_.dispatch(), [&] { return problem_.verdictOn(buffers.c.read(), sum); });
    }

    const Options& options_;
    Pair pair_;
    GemmProblem problem_;
    GemmBuffers nativeBuffers_, emulatedBuffers_;
};

}  // namespace

void benchGemm(const Options& options) { Gemm(options).run(); }

}  // namespace coopvk::bench
