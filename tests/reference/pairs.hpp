// SPDX-License-Identifier: Apache-2.0
//
// Tables of pairs of programs: pairs/README.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coopvk::reference::test {

struct Pair {
    std::string name, check;
    uint32_t groups = 1;
    bool isApart = false;       // the faulty one is one only where lanes stay apart (RECONVERGENCE)
    std::string right, faulty;  // GLSL
};

// The names of all tables; the pairs of one.
std::vector<std::string> pairTables();
std::vector<Pair> readPairs(const std::string& table);

}  // namespace coopvk::reference::test
