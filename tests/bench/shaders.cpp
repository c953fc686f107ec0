// SPDX-License-Identifier: Apache-2.0
#include "shaders.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace coopvk::bench {
namespace {

#include "built_in_shaders.inc"

}  // namespace

std::span<const Shader> builtInShaders() { return kBuiltInShaders; }

std::span<const uint32_t> builtInShader(std::string_view name) {
    for (const Shader& shader : kBuiltInShaders)
        if (shader.name == name) return shader.words;
    throw std::runtime_error("no shader " + std::string(name));
}

std::vector<uint32_t> readShader(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
    bytes.copy(reinterpret_cast<char*>(words.data()), words.size() * sizeof(uint32_t));
    if (!stream || words.size() < 5 || words[0] != 0x07230203)
        throw std::runtime_error(file + " is no SPIR-V");
    return words;
}

void writeShaders(const std::string& folder) {
    std::filesystem::create_directories(folder);
    for (const Shader& shader : kBuiltInShaders) {
        const std::string file = folder + "/" + std::string(shader.name) + ".spv";
        std::ofstream stream(file, std::ios::binary);
        stream.write(reinterpret_cast<const char*>(shader.words.data()),
                     static_cast<std::streamsize>(shader.words.size_bytes()));
        if (!stream.flush()) throw std::runtime_error("cannot write " + file);
    }
}

}  // namespace coopvk::bench
