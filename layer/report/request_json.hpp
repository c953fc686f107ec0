// SPDX-License-Identifier: Apache-2.0
//
// One request to the rewriter as JSON. The layer writes it beside a shader that it dumps, and
// `coopvk rewrite` reads it to repeat the request.
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
    // Nothing if the application's data contradicts itself.
    std::optional<std::vector<RecordedConstant>> specialization;
    rewrite::Target target;
    bool validate = false;  // an output that the validator refuses is an error
    bool lines = false;     // rewrite::withLines first
    uint64_t maxSteps = rewrite::kMaxSteps;
};

nlohmann::ordered_json toJson(const RecordedRequest& request);

// Skips unknown members, which are for people.
rewrite::Result<RecordedRequest> requestFromJson(const nlohmann::ordered_json& json);

// Errors that do not come from the rewriter; layer and tool use the same texts.
inline constexpr const char* kSpecializationOutOfRange = "specialization data out of range";
rewrite::Error invalidOutput(const std::string& message);

}  // namespace coopvk::layer
