// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/vector_program.hpp"

namespace coopvk::compare {
namespace {

constexpr size_t kVectorAlignment = 16;

}  // namespace

Block vectorsOf(Component type, uint32_t count, uint32_t invocations) {
    Block block = {type, invocations, count, false, 0, 0};
    const size_t bytes = size_t{count} * info(type).bytes();
    block.stride = (bytes + kVectorAlignment - 1) / kVectorAlignment * kVectorAlignment;
    return block;
}

}  // namespace coopvk::compare
