// SPDX-License-Identifier: Apache-2.0
//
// Programs with planted faults, and what the device reports of them.
#pragma once

#include "shader_text.hpp"

namespace coopvk::reference::test {

// A shader with %shared, 16 words of shared memory (pointer %p_shared), and constants: %subgroup (a
// scope); semantics %semantics (shared memory), %buffers, %made (shared memory, available and
// visible), %none, %relaxed.
ShaderText plainText(const std::string& body, uint32_t localSize = 4);

// Each invocation writes its word of shared memory, executes `between`, and reads the next one's.
ShaderText neighbourText(const std::string& between, uint32_t localSize);

// Executes it at 4 lanes; %in has 0 to 15, %out 16 words.
Execution executed(const ShaderText& text, uint32_t groups = 1);

// The test fails unless there are reports of the check; and others.
void expectOnly(const Execution& run, Check check);
void expectFound(const Execution& run, Check check);
void expectNone(const Execution& run);

}  // namespace coopvk::reference::test
