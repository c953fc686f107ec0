// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's target for the rewriter.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check_rewrite.hpp"
#include "mutator.hpp"
#include "rewrite_input.hpp"

using namespace coopvk::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (const auto complaint = checkRewrite({data, size})) {
        std::fprintf(stderr, "%s\n", complaint->c_str());
        std::abort();
    }
    return 0;
}

namespace {

size_t store(const Options& options, const std::vector<uint32_t>& words, uint8_t* data,
             size_t most) {
    const std::vector<uint8_t> bytes = pack(options, words);
    if (bytes.size() > most) return 0;
    std::memcpy(data, bytes.data(), bytes.size());
    return bytes.size();
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
    const RewriteInput input({data, size});
    Random random(seed);
    Options options = input.options();
    if (random.oneOf(8)) mutateOptions(options, random);
    Module module = split(input.words());
    if (random.oneOf(100) || module.instructions.empty()) return LLVMFuzzerMutate(data, size, most);
    mutate(module, random);
    const size_t made = store(options, join(module), data, most);
    return made != 0 ? made : LLVMFuzzerMutate(data, size, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t firstSize,
                                            const uint8_t* second, size_t secondSize, uint8_t* out,
                                            size_t most, unsigned seed) {
    const RewriteInput a({first, firstSize}), b({second, secondSize});
    Random random(seed);
    Module module = split(a.words());
    const Module other = split(b.words());
    if (module.instructions.empty() || other.instructions.empty()) return 0;
    splice(module, other, random);
    return store(a.options(), join(module), out, most);
}
