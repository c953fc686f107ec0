// SPDX-License-Identifier: Apache-2.0
//
// The input of `coopvk rewrite`: a module with options, or a request that the layer wrote.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/recorded_dispatch.hpp"
#include "report/request_json.hpp"

namespace coopvk::tool {

struct RewriteOptions {
    std::string input;
    std::string output;
    uint32_t subgroupSize = 0;
    bool knowsSizes = false;  // the caller chooses subgroup size and device of a module alone
    std::vector<std::string> specialization;
    // Empty: as in the request that the layer wrote, if there is one, else the default.
    std::string device;
    std::string emulate;
    std::string backEnd;
    std::string elementLayout;
    std::string numerics;
    std::string tune;
    std::string entryPoint;
    std::string stage;
    std::string rewriteLimit;
    bool lines = false;
    bool text = false;
    bool validate = false;
    bool verbose = false;
    bool plan = false;
};

struct RewriteJob {
    std::vector<uint32_t> words;
    layer::RecordedRequest request;
    bool isRecorded = false;  // the input is what the layer wrote
    std::string folder;       // of the input
    std::optional<layer::RecordedDispatch> dispatch = {};
};

// Words of a file that begins as SPIR-V does.
rewrite::Result<std::vector<uint32_t>> readModule(const std::string& path);

rewrite::Result<RewriteJob> makeRewriteJob(const RewriteOptions& options);

// The names that glslang uses.
const std::map<std::string, rewrite::Stage, std::less<>>& stagesByName();

}  // namespace coopvk::tool
