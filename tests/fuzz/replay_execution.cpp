// SPDX-License-Identifier: Apache-2.0
//
// usage: replay_execution [--explain] [--changes N] FILE|FOLDER...
//
// Executes the modules that the rewriter's fuzzer keeps, and changes of them, natively and
// rewritten.
#include <cstdio>

#include "check_execution.hpp"
#include "mutator.hpp"
#include "replay.hpp"

namespace coopvk::fuzz {
namespace {

Bytes change(const Bytes& bytes, const Bytes& other, uint32_t seed) {
    Random random(seed + 1);
    return random.oneOf(4) ? spliceInputs(bytes, other, random) : mutateInput(bytes, random);
}

void explain(const Bytes& bytes) { std::printf("%s\n", explainExecution(bytes).c_str()); }

}  // namespace
}  // namespace coopvk::fuzz

int main(int count, char** arguments) {
    using namespace coopvk::fuzz;
    return replay(count, arguments, {checkExecution, change, explain});
}
