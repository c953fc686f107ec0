// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "shaders.hpp"
#include "subjects.hpp"

namespace coopvk::bench {
namespace {

constexpr Subject kSubjects[] = {
    {"blocks", "a copy by 2D block loads and stores against a plain loop", benchBlocks},
    {"floats", "a product of bfloat16 and 8-bit floats, native and emulated, against f16",
     benchFloats},
    {"gemm", "a product of square f16 matrices, native against emulated", benchGemm},
    {"int4", "a product of 4-bit integers against one of 8-bit integers", benchInt4},
    {"nv-gemm", "the same product written with VK_NV_cooperative_matrix, by each back-end",
     benchNvGemm},
    {"rewriting", "the rewriter's time against the driver's to create the pipeline",
     benchRewriting},
    {"vector-pipelines",
     "how long pipelines with cooperative vectors take, native against emulated",
     benchVectorPipelines},
    {"vectors", "a network of 64 x 64 f16 layers on cooperative vectors", benchVectors},
};

// A pipeline that the driver finds in its cache costs nothing to create.
void turnCachesOff() {
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    setenv("__GL_SHADER_DISK_CACHE", "0", 1);
}

int run(int argc, char** argv) {
    Options options;
    std::vector<std::string> names;
    std::string folder;
    CLI::App app{"Benchmarks of coopvk; prints Markdown"};
    std::string list = "subjects; all by default:";
    for (const Subject& subject : subjects())
        list += "\n" + std::string(subject.name) + ": " + subject.what;
    app.add_option("SUBJECT", names, list);
    app.add_flag("--quick", options.quick, "fewer repetitions and smaller sizes");
    app.add_option("--device", options.device, "index of the Vulkan device");
    app.add_option("--rounds", options.rounds, "how often contenders take turns");
    app.add_option("--size", options.size,
                   "products and blocks: rows and columns, a multiple of 128");
    app.add_option("--sums", options.sums, "gemm, nv-gemm: f32, f16 or both")->delimiter(',');
    app.add_option("--tune", options.tunings,
                   "gemm: layouts to time, too, as for coopvk rewrite --tune");
    app.add_option("--spirv", options.spirv,
                   "gemm: rewritten shaders to time natively; rewriting: shaders to rewrite");
    app.add_option("--spec", options.constants, "rewriting: ID=VALUE of those shaders");
    app.add_option("--write-shaders", folder, "write the built-in shaders there, and stop");
    CLI11_PARSE(app, argc, argv);

    if (!folder.empty()) {
        writeShaders(folder);
        return 0;
    }
    for (const std::string& name : names) {
        const auto matches = [&](const Subject& subject) { return name == subject.name; };
        if (std::none_of(subjects().begin(), subjects().end(), matches))
            throw std::runtime_error("there is no subject " + name);
    }
    for (const Subject& subject : subjects())
        if (names.empty() || std::find(names.begin(), names.end(), subject.name) != names.end())
            subject.run(options);
    return 0;
}

}  // namespace

std::span<const Subject> subjects() { return kSubjects; }

}  // namespace coopvk::bench

int main(int argc, char** argv) {
    try {
        coopvk::bench::turnCachesOff();
        return coopvk::bench::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "coopvk_bench: %s\n", error.what());
        return 1;
    }
}
