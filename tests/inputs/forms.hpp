// SPDX-License-Identifier: Apache-2.0
//
// The forms in which inputs are rewritten and executed.
#pragma once

#include "../driver/harness/shader.hpp"
#include "../test_part.hpp"
#include "input.hpp"

namespace coopvk::test {

// What is malformed on purpose stays as it is.
Words compiled(const Input& input, Variant variant);

}  // namespace coopvk::test
