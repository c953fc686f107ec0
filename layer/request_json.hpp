// SPDX-License-Identifier: Apache-2.0
//
// One request to the rewriter as JSON: what the layer writes beside a shader that it dumps, and
// `coopvk rewrite` reads to repeat the very same thing.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::layer {

// A rewrite::SpecializationEntry that owns its bytes.
struct RecordedConstant {
    uint32_t constantId = 0;
    std::vector<std::byte> bytes;

    rewrite::SpecializationEntry entry() const { return {constantId, bytes}; }
};

struct RecordedRequest {
    std::string shader;  // the file of the original module, beside the JSON
    rewrite::Stage stage = rewrite::Stage::kCompute;
    std::string entryPoint;
    // None where the application's data contradicts itself.
    std::optional<std::vector<RecordedConstant>> specialization;
    rewrite::Target target;
    bool validate = false;  // an output that the validator refuses is an error
};

nlohmann::ordered_json toJson(const RecordedRequest& request);

// Members that it does not know are for people, and skipped.
rewrite::Result<RecordedRequest> requestFromJson(const nlohmann::ordered_json& json);

// The errors that do not come from the rewriter: of layer and tool, word for word.
inline constexpr const char* kSpecializationOutOfRange = "specialization data out of range";
rewrite::Error invalidOutput(const std::string& message);

}  // namespace coopvk::layer
