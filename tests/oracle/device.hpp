// SPDX-License-Identifier: Apache-2.0
//
// Runs modules on the reference device. What it computes is what the tests judge.
#pragma once

#include <functional>
#include <random>

#include "coopvk_reference/intervals.hpp"
#include "module.hpp"
#include "program_runner.hpp"

namespace coopvk::oracle {

using Random = std::mt19937_64;

// Throws what the device says where it refuses the module or reports something.
void run(reference::test::Execution& execution, const Module& module);

// A dispatch whose invocations take element after element from one buffer to another.
std::vector<uint64_t> mapped(const Format& from, const Format& to,
                             const std::vector<uint64_t>& inputs,
                             const std::function<Id(Module&, const Id&)>& operation,
                             const reference::Settings& settings = {});

reference::numbers::Number numberOf(const Format& format);

// Elements in buffers of words: a word or two each, or packed without gaps.
std::vector<uint32_t> wordsOf(const Format& format, const std::vector<uint64_t>& elements);
std::vector<uint64_t> elementsOf(const Format& format, const std::vector<uint32_t>& words);
std::vector<uint32_t> packed(const Format& format, const std::vector<uint64_t>& elements);
uint64_t unpacked(const Format& format, const std::vector<uint32_t>& words, size_t index);

// Every pattern of a format of at most 16 bits.
std::vector<uint64_t> allPatterns(const Format& format);

}  // namespace coopvk::oracle
