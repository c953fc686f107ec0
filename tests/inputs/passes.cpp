// SPDX-License-Identifier: Apache-2.0
#include "passes.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
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

bool writeAll(int file, const void* bytes, size_t count) {
    for (const auto* at = static_cast<const char*>(bytes); count != 0;) {
        const ssize_t written = ::write(file, at, count);
        if (written <= 0) return false;
        at += written;
        count -= static_cast<size_t>(written);
    }
    return true;
}

bool readAll(int file, void* bytes, size_t count) {
    for (auto* at = static_cast<char*>(bytes); count != 0;) {
        const ssize_t got = ::read(file, at, count);
        if (got <= 0) return false;
        at += got;
        count -= static_cast<size_t>(got);
    }
    return true;
}

// What goes through pipes and files: how many elements, and these.
template <typename T>
bool send(int file, const std::vector<T>& elements) {
    const uint64_t count = elements.size();
    return writeAll(file, &count, sizeof count) &&
           writeAll(file, elements.data(), count * sizeof(T));
}
template <typename T>
bool receive(int file, std::vector<T>& elements) {
    uint64_t count = 0;
    if (!readAll(file, &count, sizeof count)) return false;
    elements.resize(count);
    return readAll(file, elements.data(), count * sizeof(T));
}

// Which of the passes, by their numbers in kPasses.
using Numbers = std::vector<size_t>;

// The process that the passes may end: no core file, and seconds of processor time.
[[noreturn]] void runAndLeave(const Numbers& numbers, const Words& words, int file) noexcept {
    constexpr rlimit kNone = {0, 0}, kSeconds = {20, 20};
    ::setrlimit(RLIMIT_CORE, &kNone);
    ::setrlimit(RLIMIT_CPU, &kSeconds);
    spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_4);
    optimizer.SetMessageConsumer(
        [](spv_message_level_t, const char*, const spv_position_t&, const char*) {});
    Passes passes;
    for (const size_t number : numbers) passes.push_back(kPasses[number]);
    registerAll(optimizer, passes);
    const std::optional<Words> result = run(optimizer, words);
    ::_exit(result && send(file, *result) ? 0 : 1);
}

// Answers requests, each in a process of its own: no words if the passes failed.
[[noreturn]] void serve(int requests, int answers) noexcept {
    Numbers numbers;
    Words words;
    while (receive(requests, numbers) && receive(requests, words)) {
        std::FILE* const file = std::tmpfile();
        const pid_t child = file == nullptr ? -1 : ::fork();
        if (child < 0) break;
        if (child == 0) runAndLeave(numbers, words, ::fileno(file));
        int status = 0;
        ::waitpid(child, &status, 0);
        ::lseek(::fileno(file), 0, SEEK_SET);
        const bool isGood =
            WIFEXITED(status) && WEXITSTATUS(status) == 0 && receive(::fileno(file), words);
        std::fclose(file);
        if (!isGood) words.clear();
        if (!send(answers, words)) break;
    }
    ::_exit(0);
}

// The process that serves: it begins while the tests' own process is small, and so makes others in
// less time than that does later.
class Server {
 public:
    Server() {
        int requests[2], answers[2];
        if (::pipe(requests) != 0 || ::pipe(answers) != 0) throw std::runtime_error("no pipe");
        server_ = ::fork();
        if (server_ < 0) throw std::runtime_error("no process");
        if (server_ == 0) {
            ::close(requests[1]);
            ::close(answers[0]);
            serve(requests[0], answers[1]);
        }
        ::close(requests[0]);
        ::close(answers[1]);
        requests_ = requests[1];
        answers_ = answers[0];
    }
    // It ends when nothing can come any more.
    ~Server() {
        ::close(requests_);
        ::close(answers_);
        ::waitpid(server_, nullptr, 0);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    Words run(const Words& words, const Passes& passes) const {
        Numbers numbers;
        for (const std::string_view pass : passes) {
            const auto* const at = std::ranges::find(kPasses, pass);
            if (at == std::end(kPasses)) throw std::runtime_error("a pass that is not listed");
            numbers.push_back(static_cast<size_t>(at - kPasses));
        }
        Words result;
        if (!send(requests_, numbers) || !send(requests_, words) || !receive(answers_, result))
            throw std::runtime_error("the process that runs passes has ended");
        return result;
    }

 private:
    pid_t server_ = -1;
    int requests_ = -1, answers_ = -1;
};

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
    registerAll(optimizer, passes);
    static const Server server;
    AfterPasses after{.words = server.run(words, passes)};
    if (after.words.empty()) return {};
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
