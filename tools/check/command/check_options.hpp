// SPDX-License-Identifier: Apache-2.0
//
// What `coopvk check` and `coopvk prove` have in common on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "check.hpp"
#include "rewrite/rewrite_job.hpp"

namespace coopvk::tool {

struct CheckOptions {
    RewriteOptions rewrite;
    check::Options check;
    std::vector<uint32_t> lanes, groups, push;
    std::string against;
    uint32_t parameters = 0;   // bytes, of a proof
    bool isEachClass = false;  // also of a request that names a device
    bool anyValues = false;
    bool onDevice = false;
    uint32_t index = 0;  // of that device
    bool json = false;
    std::string html;  // file of the page; empty: none
    bool debugs = false;
    std::string commands;  // file of the debugger's
};

// A module, or the request that the layer wrote; without a device for the reference device.
rewrite::Result<RewriteJob> jobOf(const CheckOptions& options);
rewrite::Result<check::Subject> subjectOf(const RewriteJob& job);
rewrite::Result<check::Options> checkOptions(const CheckOptions& options, const RewriteJob& job);

// The worst status of all inputs: of an archive, each request in it.
int forInputs(CheckOptions options,
              const std::function<rewrite::Result<int>(const CheckOptions& options)>& run);

void addInputOptions(CLI::App& command, CheckOptions& options);
void addMemoryOptions(CLI::App& command, CheckOptions& options);
void addRewriteOptions(CLI::App& command, RewriteOptions& options);

}  // namespace coopvk::tool
