// SPDX-License-Identifier: Apache-2.0
//
// usage: replay_layer [--changes N] FILE|FOLDER...
//
// Tries files, and changes of them, on the layer as the fuzzer does, without one.
#include <algorithm>

#include "check_layer.hpp"
#include "mutator.hpp"
#include "replay.hpp"

namespace coopvk::fuzz {
namespace {

// Other bytes, more of them, or the end of the other file.
Bytes change(const Bytes& bytes, const Bytes& other, uint32_t seed) {
    Random random(seed + 1);
    Bytes changed = bytes;
    for (size_t count = 1 + random.below(8); count > 0; --count) {
        const size_t at = random.below(changed.size() + 1);
        if (at == changed.size()) {
            changed.push_back(static_cast<uint8_t>(random.word()));
        } else {
            changed[at] = static_cast<uint8_t>(random.word());
        }
    }
    if (random.oneOf(4)) {
        const size_t from = std::min(random.below(changed.size() + 1), other.size());
        changed.resize(from);
        changed.insert(changed.end(), other.begin() + static_cast<std::ptrdiff_t>(from),
                       other.end());
    }
    return changed;
}

}  // namespace
}  // namespace coopvk::fuzz

int main(int count, char** arguments) {
    using namespace coopvk::fuzz;
    return replay(count, arguments, {checkLayer, change});
}
