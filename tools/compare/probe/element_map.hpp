// SPDX-License-Identifier: Apache-2.0
//
// Which invocation holds which element of the matrices that a device lists, read by shaders.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/run/gpu.hpp"
#include "compare/shaders/matrix_program.hpp"

namespace coopvk::compare {

struct ReadMap {
    MatrixType type;
    std::string why;  // it could not be read; empty: it was
    uint32_t lanes = 0, length = 0;
    std::vector<std::pair<uint32_t, uint32_t>> positions;  // by lane, then by number
};
// Of each type of a row that the device lists.
std::vector<ReadMap> readMaps(Gpu& gpu);

// Names of the layouts that coopvk knows (element_layout) and that are like this map.
std::vector<std::string_view> layoutsLike(const ReadMap& map);
std::string listed(std::span<const std::string_view> layouts);

// What each bit of the lane and of the element's number adds to row and column:
// "lane 1:(0,2) 2:(0,4) 4:(1,0), element 1:(0,1)". Empty where the map has no such form.
std::string bitsOf(const ReadMap& map);

// Whether with the position of each element: always, or where neither layouts nor bits say it.
enum class Positions { kAlways, kIfUnknown };
nlohmann::ordered_json jsonOf(const ReadMap& map, Positions positions);

}  // namespace coopvk::compare
