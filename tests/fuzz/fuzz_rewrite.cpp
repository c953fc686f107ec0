// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's target for the rewriter.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check_rewrite.hpp"
#include "mutator.hpp"

using namespace coopvk::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (const auto complaint = checkRewrite({data, size})) {
        std::fprintf(stderr, "%s\n", complaint->c_str());
        std::abort();
    }
    return 0;
}

namespace {

size_t store(const std::vector<uint8_t>& bytes, uint8_t* data, size_t most) {
    if (bytes.empty() || bytes.size() > most) return 0;
    std::memcpy(data, bytes.data(), bytes.size());
    return bytes.size();
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
    Random random(seed);
    if (random.oneOf(100)) return LLVMFuzzerMutate(data, size, most);
    const size_t made = store(mutateInput({data, size}, random), data, most);
    return made != 0 ? made : LLVMFuzzerMutate(data, size, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t firstSize,
                                            const uint8_t* second, size_t secondSize, uint8_t* out,
                                            size_t most, unsigned seed) {
    Random random(seed);
    return store(spliceInputs({first, firstSize}, {second, secondSize}, random), out, most);
}
