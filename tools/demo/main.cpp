// SPDX-License-Identifier: Apache-2.0
//
// Trains a network on a picture with cooperative vectors, and writes the picture and the network's
// result beside each other.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "network.hpp"

namespace coopvk::demo {
namespace {

struct Options {
    uint32_t width = 96;
    uint32_t steps = 2000;
    uint32_t groups = 16;
    std::string output = "coopvk-demo.png";
};

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double decibels(double error) { return -10 * std::log10(error); }

// On a terminal, one line that changes; in a file, a line for every tenth of the steps.
void showProgress(uint32_t last, uint32_t done, uint32_t steps, double error, double seconds) {
    constexpr uint32_t kBar = 30;
    const bool isTerminal = isatty(STDOUT_FILENO) != 0;
    if (!isTerminal && last * 10 / steps == done * 10 / steps) return;
    std::string bar(kBar, '.');
    std::fill_n(bar.begin(), kBar * done / steps, '#');
    std::printf("%s  [%s] step %4u of %u, error %.5f, %3.0f s%s", isTerminal ? "\r" : "",
                bar.c_str(), done, steps, error, seconds, isTerminal && done < steps ? "" : "\n");
    std::fflush(stdout);
}

int learn(const Options& options) {
    Gpu gpu;
    std::printf("  device: %s\n  VK_NV_cooperative_vector: %s\n", gpu.name.c_str(),
                gpu.emulated ? "by coopvk" : "the driver's own");
    const Pixels target = drawTarget(options.width);
    const Clock::time_point start = Clock::now();
    Network network(gpu, target, options.width, options.groups);
    const double before = meanSquaredError(network.draw(), target);
    std::printf("  network: %u-%u-%u-%u, %u parameters; pipelines created in %.1f s\n", kInputs,
                kHidden, kHidden, kOutputs, network.parameterCount(), secondsSince(start));
    const Clock::time_point training = Clock::now();
    constexpr uint32_t kChunk = 5;
    for (uint32_t done = 0; done < options.steps;) {
        const uint32_t count = std::min(kChunk, options.steps - done);
        const double error = network.train(done, count, options.steps);
        showProgress(done, done + count, options.steps, error, secondsSince(training));
        done += count;
    }
    const Pixels learned = network.draw();
    const double after = meanSquaredError(learned, target);
    writePng(options.output, {target, learned}, options.width, 4);
    std::printf("  mean squared error: %.5f before, %.5f after (%.1f dB to %.1f dB)\n", before,
                after, decibels(before), decibels(after));
    std::printf("  written: %s (left: the picture, right: what the network learned)\n",
                options.output.c_str());
    // If the error is not less than a tenth of the first one, the network has learned nothing.
    return after < before / 10 ? 0 : 1;
}

}  // namespace
}  // namespace coopvk::demo

int main(int argc, char** argv) {
    coopvk::demo::Options options;
    CLI::App app(
        "A small network learns a picture by the training operations of VK_NV_cooperative_vector");
    app.add_option("-o,--output", options.output, "PNG to write")->capture_default_str();
    app.add_option("--width", options.width, "Width and height in pixels, a multiple of 8")
        ->capture_default_str()
        ->check(CLI::Range(8u, 1024u));
    app.add_option("--steps", options.steps, "Training steps")
        ->capture_default_str()
        ->check(CLI::Range(1u, 1000000u));
    app.add_option("--groups", options.groups, "Workgroups in a step, of 64 samples each")
        ->capture_default_str()
        ->check(CLI::Range(1u, 4096u));
    CLI11_PARSE(app, argc, argv);
    if (options.width % 8 != 0) {
        std::fprintf(stderr, "coopvk_demo: the width must be a multiple of 8\n");
        return 2;
    }
    try {
        return coopvk::demo::learn(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "coopvk_demo: %s\n", error.what());
        return 3;
    }
}
