// SPDX-License-Identifier: Apache-2.0
//
// What the specifications say of a dispatch: the reference device executes the shader itself, in
// this process and natively, whatever the device under test is. Its own mathematics is tested in
// tests/reference.
//
// These have expected values by hand: products (muladd_test, which judges the reference device,
// too), copies through pointers and control flow (pointer_test, control_flow_test), since they are
// exact and simple; sums and half floats whose errors have bounds (half_*, open_sums, mixed_dot,
// single_half), as a judgement of the reference device's intervals; conversions on the host
// (convert_*); and what the reference device reports: components of four bits that several
// invocations store to one byte, and accesses outside of buffers (route_test).
#pragma once

#include "component.hpp"
#include "compute.hpp"
#include "coopvk_reference/intervals.hpp"

namespace coopvk::test {

// The buffers' contents after run(words, dispatch, options). A report of the reference device is a
// failure of the test. `flushed`: a sum of widths whose denormals become zero.
std::vector<Bytes> expectedOf(const Words& words, const Dispatch& dispatch,
                              const PipelineOptions& options = {}, uint32_t flushed = 0);

// What the specifications permit any device to leave in the buffers: beside each float the interval
// of numbers, by the precision of instructions and the order of sums.
struct Permitted {
    std::vector<Bytes> contents;
    std::vector<std::vector<reference::Deviation>> deviations;  // of each byte

    // Empty if a buffer's bytes are permitted, else the first few places where they are not.
    std::string difference(size_t buffer, const Bytes& actual) const;
};
Permitted permittedOf(const Words& words, const Dispatch& dispatch,
                      const PipelineOptions& options = {}, uint32_t flushed = 0);

// Runs it, and compares all buffers, byte by byte.
void expectAsReference(const Words& words, const Dispatch& dispatch,
                       const PipelineOptions& options = {});

// The same, but buffer 3 holds numbers of this type: zeros of either sign are the same, and NaN
// with any bits. `made`: what the device executes in place of the words, where that is not null.
void expectNumbersAsReference(const Words& words, const Dispatch& dispatch, Component numbers,
                              const PipelineOptions& options = {}, const Words* made = nullptr);

}  // namespace coopvk::test
