// SPDX-License-Identifier: Apache-2.0
//
// The forms in which inputs are rewritten and executed.
#pragma once

#include "../driver/harness/shader.hpp"
#include "input.hpp"

namespace coopvk::test {

// All forms and targets, else some: COOPVK_TEST_FULL=1.
bool runsAllForms();

// What is malformed on purpose stays as it is.
Words compiled(const Input& input, Variant variant);

}  // namespace coopvk::test
