// SPDX-License-Identifier: Apache-2.0
//
// A module as a debugger's user sees it: the text of each instruction, and ids by name.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace coopvk::tool {

class ModuleText {
 public:
    explicit ModuleText(std::span<const uint32_t> words);

    // "%48 = OpCooperativeMatrixMulAddKHR %40 %45 %46 %47"; empty: none is at this word.
    const std::string& at(uint32_t word) const;
    // Positions of instructions in the order of the module.
    const std::map<uint32_t, std::string>& instructions() const { return texts_; }
    // Of "48", "%48" or a name of the text, with or without %; 0: none.
    uint32_t id(const std::string& name) const;
    std::string name(uint32_t id) const;  // "%48", "%z"

 private:
    void nameIds(const std::string& plain, const std::string& friendly);

    std::map<uint32_t, std::string> texts_;
    std::map<std::string, uint32_t, std::less<>> ids_;
    std::map<uint32_t, std::string> names_;
    uint32_t bound_ = 0;
};

}  // namespace coopvk::tool
