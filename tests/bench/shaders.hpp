// SPDX-License-Identifier: Apache-2.0
//
// Shaders as SPIR-V: those built in, and those in files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::bench {

struct Shader {
    std::string_view name;  // "gemm_f32_16x16x16"
    std::span<const uint32_t> words;
};

std::span<const Shader> builtInShaders();
// Throws if there is none of that name.
std::span<const uint32_t> builtInShader(std::string_view name);
// Throws if the file cannot be read or is no SPIR-V.
std::vector<uint32_t> readShader(const std::string& file);
// Every built-in shader as FOLDER/NAME.spv.
void writeShaders(const std::string& folder);

}  // namespace coopvk::bench
