// SPDX-License-Identifier: Apache-2.0
#include "passes.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <format>
#include <optional>
#include <spirv-tools/optimizer.hpp>
#include <stdexcept>

#include "../test_part.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::test {
namespace {

// Those for sampled images, other stages and other APIs are among them: they must leave compute
// shaders alone.
constexpr std::string_view kPasses[] = {
    "--amd-ext-to-khr",
    "--canonicalize-ids",
    "--ccp",
    "--cfg-cleanup",
    "--code-sink",
    "--combine-access-chains",
    "--compact-ids",
    "--convert-local-access-chains",
    "--convert-relaxed-to-half",
    "--copy-propagate-arrays",
    "--descriptor-array-scalar-replacement",
    "--descriptor-composite-scalar-replacement",
    "--descriptor-scalar-replacement",
    "--eliminate-dead-branches",
    "--eliminate-dead-code-aggressive",
    "--eliminate-dead-const",
    "--eliminate-dead-functions",
    "--eliminate-dead-input-components",
    "--eliminate-dead-inserts",
    "--eliminate-dead-members",
    "--eliminate-dead-variables",
    "--eliminate-insert-extract",
    "--eliminate-local-multi-store",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--fix-func-call-param",
    "--flatten-decorations",
    "--fold-spec-const-op-composite",
    "--freeze-spec-const",
    "--graphics-robust-access",
    "--if-conversion",
    "--inline-entry-points-exhaustive",
    "--inline-entry-points-opaque",
    "--interpolate-fixup",
    "--legalize-multidim-array",
    "--local-redundancy-elimination",
    "--loop-fission=4",
    "--loop-fusion=64",
    "--loop-invariant-code-motion",
    "--loop-peeling",
    "--loop-unroll",
    "--loop-unroll-partial=2",
    "--loop-unswitch",
    "--merge-blocks",
    "--merge-return",
    "--modify-maximal-reconvergence=add",
    "--private-to-local",
    "--reduce-load-size",
    "--redundancy-elimination",
    "--relax-float-ops",
    "--remove-dont-inline",
    "--remove-duplicates",
    "--remove-unused-interface-variables",
    "--replace-desc-array-access-using-var-index",
    "--replace-invalid-opcode",
    "--scalar-replacement=0",
    "--simplify-instructions",
    "--split-combined-image-sampler",
    "--spread-volatile-semantics",
    "--ssa-rewrite",
    "--strength-reduction",
    "--strip-debug",
    "--strip-nonsemantic",
    "--trim-capabilities",
    "--unify-const",
    "--upgrade-memory-model",
    "--vector-dce",
    "--workaround-1209",
    "--wrap-opkill",
};

void registerAll(spvtools::Optimizer& optimizer, const Passes& passes) {
    for (const std::string_view pass : passes) {
        if (!optimizer.RegisterPassFromFlag(std::string(pass)))
            throw std::runtime_error("spirv-opt has no pass " + std::string(pass));
    }
}

std::optional<Words> run(const spvtools::Optimizer& optimizer, const Words& words) {
    spvtools::OptimizerOptions options;
    options.set_run_validator(false);
    options.set_preserve_spec_constants(true);
    Words result;
    if (!optimizer.Run(words.data(), words.size(), &result, options)) return std::nullopt;
    return result;
}

void writeAll(int file, const Words& words) {
    const auto* at = reinterpret_cast<const char*>(words.data());
    for (size_t rest = words.size() * sizeof(uint32_t); rest != 0;) {
        const ssize_t written = ::write(file, at, rest);
        if (written <= 0) ::_exit(1);
        at += written;
        rest -= static_cast<size_t>(written);
    }
}

Words readAll(int file) {
    std::string bytes;
    char piece[65536];
    for (ssize_t got; (got = ::read(file, piece, sizeof piece)) > 0;)
        bytes.append(piece, static_cast<size_t>(got));
    Words words(bytes.size() / sizeof(uint32_t));
    bytes.copy(reinterpret_cast<char*>(words.data()), words.size() * sizeof(uint32_t));
    return words;
}

// The process that the passes may end: no core file, and seconds of processor time.
[[noreturn]] void runAndLeave(const spvtools::Optimizer& optimizer, const Words& words,
                              int file) noexcept {
    constexpr rlimit kNone = {0, 0}, kSeconds = {20, 20};
    ::setrlimit(RLIMIT_CORE, &kNone);
    ::setrlimit(RLIMIT_CPU, &kSeconds);
    const std::optional<Words> result = run(optimizer, words);
    if (!result) ::_exit(1);
    writeAll(file, *result);
    ::_exit(0);
}

}  // namespace

std::span<const std::string_view> allPasses() { return kPasses; }

std::string describe(const Passes& passes) {
    std::string text;
    for (const std::string_view pass : passes)
        text += (text.empty() ? "" : " ") + std::string(pass);
    return text;
}

Passes randomPasses(Rng& rng) {
    Passes passes;
    const int64_t count = rng.range(2, 8);
    for (int64_t i = 0; i < count; ++i) passes.push_back(kPasses[rng.next() % std::size(kPasses)]);
    return passes;
}

Rng passRng(const std::string& input) {
    const uint64_t seed = testSeed();
    return Rng(std::string_view(seed == 0 ? input : input + std::to_string(seed)));
}

AfterPasses afterPasses(const Words& words, const Passes& passes) {
    spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_4);
    optimizer.SetMessageConsumer(
        [](spv_message_level_t, const char*, const spv_position_t&, const char*) {});
    registerAll(optimizer, passes);
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) runAndLeave(optimizer, words, ends[1]);
    ::close(ends[1]);
    AfterPasses after{.words = readAll(ends[0])};
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
    after.passed = after.words == words             ? Passed::kSame
                   : rewrite::validate(after.words) ? Passed::kInvalid
                                                    : Passed::kChanged;
    return after;
}

std::string PassCounts::text() const {
    return std::format("{} modules changed by passes, {} the same, {} invalid, {} failed",
                       of(Passed::kChanged), of(Passed::kSame), of(Passed::kInvalid),
                       of(Passed::kFailed));
}

}  // namespace coopvk::test
