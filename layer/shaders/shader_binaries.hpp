// SPDX-License-Identifier: Apache-2.0
//
// Binaries of shader objects that were made from rewritten words. Those words already contain the
// specialization, which the application must pass again with the binary, and a driver may fail on
// that. A driver may also need again what the layer required of subgroups. So such binaries have a
// header with all of this, and with the identity of what made the binary.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>

#include "objects/shader_objects.hpp"

namespace coopvk::layer {

struct DeviceContext;

// Its size keeps the driver's part at the alignment of 16 bytes that binaries need.
constexpr size_t kBinaryHeaderSize = 64;
using BinaryHeader = std::array<std::byte, kBinaryHeaderSize>;

enum class BinaryKind {
    kDrivers,  // without a header
    kOurs,     // of this device, and made by this layer with these settings
    kForeign,  // with a header, but not of this identity
};
BinaryKind kindOfBinary(const DeviceContext& device, const void* code, size_t size);
// Of a binary of kOurs.
SubgroupNeeds needsOfBinary(const void* code);

}  // namespace coopvk::layer
