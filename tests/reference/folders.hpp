// SPDX-License-Identifier: Apache-2.0
//
// Tests that are folders: folders/README.md.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "program_runner.hpp"

namespace coopvk::reference::test {

struct FolderRun {
    Execution execution;
    std::map<uint32_t, std::vector<uint32_t>> expected;                       // buffers, by binding
    std::map<std::string, std::vector<std::vector<uint32_t>>> expectedLists;  // by name
    std::set<std::string> reports;  // each a part of a report's text, from its start on
    std::map<std::string, std::array<uint64_t, 2>> counts;  // transactions and the fewest, by kind
};

struct FolderTest {
    std::vector<uint32_t> words;
    spv::ExecutionModel stage = spv::ExecutionModel::GLCompute;
    std::vector<FolderRun> runs;
};

std::vector<std::string> testFolders();
// Throws what is wrong with the folder.
FolderTest readFolder(const std::string& name);

}  // namespace coopvk::reference::test
