// SPDX-License-Identifier: Apache-2.0
#include "version_text.hpp"

#include <string_view>

#include "coopvk/rewrite.hpp"

namespace coopvk::tool {
namespace {

// Empty if the sources are in no repository.
constexpr std::string_view kCommit =
#include "commit.inc"
    ;

}  // namespace

std::string versionText(std::string program) {
    std::string text = std::move(program) + " " COOPVK_VERSION " (";
    if (!kCommit.empty()) text.append("commit ").append(kCommit).append(", ");
    return text.append("rewriter ").append(rewrite::version()).append(")");
}

}  // namespace coopvk::tool
