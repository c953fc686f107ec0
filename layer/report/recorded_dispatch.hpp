// SPDX-License-Identifier: Apache-2.0
//
// One dispatch with its inputs as JSON, with the bytes of buffers in a file beside it. The layer
// writes it for a dispatch of a rewritten shader, and `coopvk check` reads it to repeat the
// dispatch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::layer {

// Memory that descriptors and addresses may share. Its bytes are in the file, at these offsets.
struct KeptRegion {
    uint64_t size = 0;
    uint64_t before = 0;  // the dispatch
    std::optional<uint64_t> after = {};
};

// A part of a region.
struct KeptRange {
    uint32_t region = 0;
    uint64_t offset = 0, size = 0;
};

struct KeptDescriptor {
    uint32_t set = 0, binding = 0, element = 0;
    KeptRange range;
};

struct KeptAddress {
    uint64_t address = 0;  // of the range's first byte
    KeptRange range;
};

// An inline uniform block.
struct KeptBlock {
    uint32_t set = 0, binding = 0;
    std::vector<std::byte> bytes;
};

struct RecordedDispatch {
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::array<uint32_t, 3> base = {0, 0, 0};
    std::vector<std::byte> pushConstants;
    std::string file;  // of the bytes, beside the JSON
    std::vector<KeptRegion> regions;
    std::vector<KeptDescriptor> descriptors;
    std::vector<KeptAddress> addresses;
    std::vector<KeptBlock> blocks;
    // For people, a line each: what could not be kept and why, and what may have changed it.
    std::vector<std::string> missing, notes;
};

// JSON. The library's own objects take memory even to be destroyed, so they are not used for this.
std::string jsonTextOf(const RecordedDispatch& dispatch);

// Ranges are parts of regions; regions may go beyond the file.
rewrite::Result<RecordedDispatch> dispatchFromJson(const nlohmann::ordered_json& json);

}  // namespace coopvk::layer
