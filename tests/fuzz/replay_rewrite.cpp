// SPDX-License-Identifier: Apache-2.0
//
// usage: replay_rewrite [--explain] [--changes N] FILE|FOLDER...
//
// Tries files, and changes of them, on the rewriter as the fuzzer does, without one. --explain:
// what a file requests, and the result.
#include <cstdio>

#include "check_rewrite.hpp"
#include "mutator.hpp"
#include "replay.hpp"
#include "rewrite_input.hpp"

namespace coopvk::fuzz {
namespace {

void explain(const Bytes& bytes) {
    const RewriteInput input(bytes);
    const rewrite::Request request = input.request();
    std::printf("subgroup size %u, stage %x, entry point '%.*s', back-end %u, %zu values\n",
                input.target().subgroupSize, static_cast<uint32_t>(request.stage),
                static_cast<int>(request.entryPoint.size()), request.entryPoint.data(),
                static_cast<uint32_t>(input.target().backEnd), request.specialization.size());
    std::printf("%s\n", rewrite::disassemble(input.words()).c_str());
    std::printf("input: %s\n", rewrite::validate(input.words()).value_or("valid").c_str());
    const auto out = rewrite::rewrite(request, input.target());
    if (!out) {
        std::printf("refused: %s\n", out.error().message.c_str());
        return;
    }
    std::printf("%s\n", rewrite::disassemble(out->words).c_str());
    std::printf("output: %s\n", rewrite::validate(out->words).value_or("valid").c_str());
}

Bytes change(const Bytes& bytes, const Bytes& other, uint32_t seed) {
    Random random(seed + 1);
    return random.oneOf(4) ? spliceInputs(bytes, other, random) : mutateInput(bytes, random);
}

}  // namespace
}  // namespace coopvk::fuzz

int main(int count, char** arguments) {
    using namespace coopvk::fuzz;
    return replay(count, arguments, {checkRewrite, change, explain});
}
