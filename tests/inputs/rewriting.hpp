// SPDX-License-Identifier: Apache-2.0
//
// What every input's rewriting must be.
#pragma once

#include "forms.hpp"
#include "targets.hpp"

namespace coopvk::test {

bool isFor(const Input& input, const rewrite::Target& target);

// The output is valid and needs no emulation, or the input is one that must be refused. Adds
// failures of the current test.
void expectRewriting(const Input& input, const Words& words, const rewrite::Target& target);

}  // namespace coopvk::test
