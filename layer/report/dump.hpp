// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "report/log.hpp"
#include "report/shader_words.hpp"
#include "system/files.hpp"

namespace coopvk::layer {

struct RecordedRequest;
struct Settings;

// A request as JSON, and the name of its files.
struct DumpedRequest {
    std::string name, text;
};

// A compute shader of whose dispatches the inputs are kept.
struct DumpedShader {
    DumpedRequest request;
    bool usesAddresses = false;
};
using DumpedShaderRef = std::shared_ptr<const DumpedShader>;

// Writes shaders that were rewritten or refused to a folder, which it makes if it does not exist:
//   <hash>.spv                             the original
//   <name>.json                            stage, entry point, subgroup size, specialization,
//                                          device and settings, and what came of it
//   <name>.spv                             its rewrite
// where <name> is <hash>.<stage>.s<subgroup size>.<hash of the JSON's contents>. Each module is
// also written as text, in .spvasm. Dispatches of a rewritten shader whose inputs are kept are in
// <name>.dispatch<number>.json, and the bytes of their buffers in .bin. A failure is logged and
// changes nothing else. Safe from any thread.
class ShaderDumps {
 public:
    // Opens the folder, since a program may shut itself off from files before its first shader.
    ShaderDumps(const Settings& settings, Log& log);

    bool isOn() const { return folder_.has_value(); }
    // Fills in `request.shader`. `words`: the result, or empty. `refusal`: null, or why the driver
    // does not get the shader.
    void write(const ShaderWords& original, RecordedRequest request,
               std::span<const uint32_t> words, const std::string* refusal) noexcept;
    // As write() would.
    DumpedRequest describe(const ShaderWords& original, RecordedRequest request) const;
    void writeDispatch(const std::string& name, std::string_view json, std::string_view bytes);
    Log& log() { return log_; }

 private:
    void warnOfFailure() noexcept;

    const Settings& settings_;
    Log& log_;
    std::optional<OutputFolder> folder_;
};

}  // namespace coopvk::layer
