// SPDX-License-Identifier: Apache-2.0
//
// The program into which the layer is loaded.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace coopvk::layer {

// "vulkaninfo[1234]": name and process, for log lines. Bytes that are not printable become '?', and
// long names are cut. Allocates nothing.
class ProgramTag {
 public:
    ProgramTag() noexcept;
    std::string_view text() const { return {text_.data(), size_}; }

 private:
    std::array<char, 96> text_;
    size_t size_ = 0;
};

// A path of the settings: %p becomes the process id, %n the program's name, %% a percent sign.
std::string expandPath(std::string_view path);

}  // namespace coopvk::layer
