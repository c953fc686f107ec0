// SPDX-License-Identifier: Apache-2.0
#include "coopvk/addresses.hpp"

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

bool usesAddresses(std::span<const uint32_t> words) {
    return declares(words, spv::Capability::PhysicalStorageBufferAddresses);
}

}  // namespace coopvk::rewrite
