// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace coopvk::layer {

// What is in a file that users or the system wrote; nullopt if it is no file, cannot be read, or
// has more than `most` bytes. Waits for no writer of a named pipe, and throws std::bad_alloc only.
std::optional<std::string> readText(const std::filesystem::path& path, size_t most);

}  // namespace coopvk::layer
