// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "coopvk/device.hpp"

namespace coopvk::layer {

struct DeviceFacts;

// The layout of elements that programs assume which were made for GPUs as this one; kAuto: none is
// known.
rewrite::ElementLayout familyLayout(const DeviceFacts& facts);

}  // namespace coopvk::layer
