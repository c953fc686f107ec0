// SPDX-License-Identifier: Apache-2.0
//
// What the specifications say of a dispatch: the reference device executes the shader itself, in
// this process and natively, whatever the device under test is. Its own mathematics is tested in
// tests/reference.
//
// These have expected values by hand: products (muladd_test, which judges the reference device,
// too), copies through pointers and control flow (pointer_test, control_flow_test), since they are
// exact and simple; sums and half floats whose errors have bounds (elementwise_test, half_*,
// open_sums, mixed_dot, single_half), since the reference device gives one result of those that are
// allowed; conversions on the host (convert_*); and what the reference device reports: components
// of four bits that several invocations store to one byte, and accesses outside of buffers
// (route_test).
#pragma once

#include "component.hpp"
#include "compute.hpp"

namespace coopvk::test {

// The buffers' contents after run(words, dispatch, options). A report of the reference device is a
// failure of the test. `flushed`: a sum of widths whose denormals become zero.
std::vector<Bytes> expectedOf(const Words& words, const Dispatch& dispatch,
                              const PipelineOptions& options = {}, uint32_t flushed = 0);

// Runs it, and compares all buffers, byte by byte.
void expectAsReference(const Words& words, const Dispatch& dispatch,
                       const PipelineOptions& options = {});

// The same, but buffer 3 holds numbers of this type: zeros of either sign are the same, and NaN
// with any bits. `made`: what the device executes in place of the words, where that is not null.
void expectNumbersAsReference(const Words& words, const Dispatch& dispatch, Component numbers,
                              const PipelineOptions& options = {}, const Words* made = nullptr);

}  // namespace coopvk::test
