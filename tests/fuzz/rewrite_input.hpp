// SPDX-License-Identifier: Apache-2.0
//
// A fuzzer's bytes as input of the rewriter: a module, alone or after a record of options that say
// for what it is rewritten.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::fuzz {

struct SpecializationBytes {
    uint8_t id = 0;
    uint8_t size = 0;     // index into kEntrySizes
    uint8_t value = 0;    // of the lowest byte
    uint8_t pattern = 0;  // of all others
};

// 32 bytes before a module. All zeros means the same as no record.
struct Options {
    uint8_t mark = kMark;
    uint8_t subgroupSize = 0;  // indices into tables of rewrite_input.cpp
    uint8_t stage = 0;
    uint8_t notEmulated = 0;  // bits
    uint8_t backEnd = 0;
    std::array<uint8_t, 4> flags = {};  // turn the device's features over, bit by bit
    uint8_t nativeShapes = 0;
    uint8_t sharedMemory = 0;
    uint8_t spirvVersion = 0;
    uint8_t tuning = 0;
    uint8_t entryPoint = 0;
    uint8_t reserved = 0;
    uint8_t specializations = 0;
    std::array<SpecializationBytes, 4> entries = {};

    static constexpr uint8_t kMark = 0xF5;
};
static_assert(sizeof(Options) == 32);

class RewriteInput {
 public:
    explicit RewriteInput(std::span<const uint8_t> bytes);
    RewriteInput(const RewriteInput&) = delete;
    RewriteInput& operator=(const RewriteInput&) = delete;

    const Options& options() const { return options_; }
    const std::vector<uint32_t>& words() const { return words_; }
    const rewrite::Target& target() const { return target_; }
    rewrite::Request request() const;
    // The words with the specialization's values as constants: the module that is really requested.
    std::vector<uint32_t> specialisedWords() const;

 private:
    void fillEntries();

    Options options_;
    std::vector<uint32_t> words_;
    rewrite::Target target_;
    std::array<std::array<std::byte, 8>, 4> bytes_ = {};
    std::vector<rewrite::SpecializationEntry> entries_;
    std::string entryPoint_;
};

std::vector<uint8_t> pack(const Options& options, std::span<const uint32_t> words);

}  // namespace coopvk::fuzz
