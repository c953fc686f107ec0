// SPDX-License-Identifier: Apache-2.0
//
// What the specifications say of a dispatch: the reference device executes the shader itself, in
// this process and natively, whatever the device under test is. Its own mathematics is tested in
// tests/reference.
#pragma once

#include "component.hpp"
#include "compute.hpp"

namespace coopvk::test {

// The buffers' contents after run(words, dispatch, options). A report of the reference device is a
// failure of the test.
std::vector<Bytes> expectedOf(const Words& words, const Dispatch& dispatch,
                              const PipelineOptions& options = {});

// Runs it, and compares all buffers, byte by byte.
void expectAsReference(const Words& words, const Dispatch& dispatch,
                       const PipelineOptions& options = {});

// The same, but buffer 3 holds numbers of this type: zeros of either sign are the same, and NaN
// with any bits. `made`: what the device executes in place of the words, where that is not null.
void expectNumbersAsReference(const Words& words, const Dispatch& dispatch, Component numbers,
                              const PipelineOptions& options = {}, const Words* made = nullptr);

}  // namespace coopvk::test
