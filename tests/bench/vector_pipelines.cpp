// SPDX-License-Identifier: Apache-2.0
//
// The time for a pipeline with cooperative vectors (shaders/layers.comp), the driver's own and
// coopvk's. The time ends when the pipeline is created and one workgroup has run, since some
// drivers (llvmpipe) generate code only then.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "interleave.hpp"
#include "kernel.hpp"
#include "shaders.hpp"
#include "subjects.hpp"
#include "table.hpp"

namespace coopvk::bench {
namespace {

constexpr VkDeviceSize kBytes = 1 << 20;  // more than any of the shaders needs of a buffer

// A device with the buffers of layers.comp, full of zeros.
class Maker {
 public:
    explicit Maker(Gpu& gpu)
        : gpu_(gpu), a_(gpu, kBytes), b_(gpu, kBytes), c_(gpu, kBytes), d_(gpu, kBytes) {
        for (Buffer* buffer : buffers_) buffer->fill(0);
    }

    bool can() const { return gpu_.features.cooperativeVector.cooperativeVector; }
    bool canTrain() const { return gpu_.features.cooperativeVector.cooperativeVectorTraining; }

    double seconds(std::vector<uint32_t>& words) {
        ++words[3];  // the bound: new words for whoever remembers those it has seen
        const auto start = std::chrono::steady_clock::now();
        Kernel(gpu_, words, {}, buffers_).run({});
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

 private:
    Gpu& gpu_;
    Buffer a_, b_, c_, d_;
    Buffer* const buffers_[4] = {&a_, &b_, &c_, &d_};
};

class VectorPipelines {
 public:
    explicit VectorPipelines(const Options& options)
        : options_(options),
          pair_(options.device),
          native_(pair_.native),
          emulated_(pair_.emulated) {}

    void run() {
        std::printf("## vector-pipelines: 3 layers, f16\n\n%s\n\n", pair_.native.name().c_str());
        Table table({"layers", "weights", "native", "emulated", "times native"});
        for (const char* size : {"16", "64", "128"})
            for (const char* kind : {"row_major", "optimal", "training"})
                table.add(measure(size, kind));
        table.print();
    }

 private:
    std::vector<std::string> measure(const std::string& size, const std::string& kind) {
        const Words shader = builtInShader("layers_" + kind + "_" + size);
        std::vector<uint32_t> words(shader.begin(), shader.end());
        std::vector<Contender> contenders = {
            {"emulated", [&] { return emulated_.seconds(words); }}};
        const bool isNative = kind == "training" ? native_.canTrain() : native_.can();
        if (isNative) contenders.push_back({"native", [&] { return native_.seconds(words); }});
        const uint32_t rounds = options_.rounds ? options_.rounds : options_.quick ? 1 : 5;
        const Samples samples = interleave(contenders, rounds);
        std::string name = kind;
        std::replace(name.begin(), name.end(), '_', '-');
        return {size + " x " + size, name, isNative ? duration(median(samples[1])) : "none",
                duration(median(samples[0])),
                isNative ? fixed(speedup(samples[1], samples[0]), 2) : ""};
    }

    const Options& options_;
    Pair pair_;
    Maker native_, emulated_;
};

}  // namespace

void benchVectorPipelines(const Options& options) { VectorPipelines(options).run(); }

}  // namespace coopvk::bench
