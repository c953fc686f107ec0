// SPDX-License-Identifier: Apache-2.0
//
// `coopvk check --html`: a page with a picture of each stored matrix that differs.
#pragma once

#include <string>
#include <vector>

#include "stored_matrices.hpp"

namespace coopvk::tool {

// Takes what the pictures show from the executions, one outcome after the other.
class CheckPage {
 public:
    explicit CheckPage(std::string input) : input_(std::move(input)) {}
    void add(const check::Replay& replay);
    // False: the file cannot be written.
    bool write(const std::string& file, const std::vector<check::Outcome>& outcomes) const;

 private:
    struct Pictures {
        check::Outcome outcome;
        std::vector<check::StoredMatrix> matrices;
        std::vector<std::string> buffers;  // names
    };
    std::string input_;
    std::vector<Pictures> pictures_;
};

}  // namespace coopvk::tool
