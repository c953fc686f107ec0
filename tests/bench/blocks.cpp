// SPDX-License-Identifier: Apache-2.0
//
// Compares a copy by 2D block loads and stores (shaders/copy.comp) with a plain loop on the same
// driver.
#include <cstdio>
#include <cstring>
#include <random>

#include "comparison.hpp"
#include "shaders.hpp"
#include "subjects.hpp"
#include "table.hpp"

namespace coopvk::bench {
namespace {

constexpr uint32_t kTileRows = 32;
constexpr uint32_t kBlockSubgroups = 4;  // of a workgroup

std::string bytesPerSecond(double perSecond) { return fixed(perSecond * 1e-9, 1) + " GB/s"; }

// The same words in a buffer of either device.
struct Source {
    Source(Gpu& gpu, const std::vector<uint32_t>& words)
        : from(gpu, words.size() * 4), to(gpu, words.size() * 4) {
        from.write(std::as_bytes(std::span(words)));
    }
    std::array<Buffer*, 2> list() { return {&from, &to}; }
    Buffer from, to;
};

std::vector<uint32_t> randomWords(size_t count) {
    std::mt19937 random(1);
    std::vector<uint32_t> words(count);
    for (uint32_t& word : words) word = static_cast<uint32_t>(random());
    return words;
}

uint32_t differing(const std::vector<uint32_t>& words, const std::vector<std::byte>& copy) {
    uint32_t wrong = 0;
    for (size_t i = 0; i < words.size(); ++i) {
        uint32_t word = 0;
        std::memcpy(&word, &copy[i * 4], 4);
        wrong += word != words[i];
    }
    return wrong;
}

}  // namespace

void benchBlocks(const Options& options) {
    Pair pair(options.device);
    // As many words in a row as rows: 256 MiB, much more than caches hold.
    const uint32_t size = options.size ? options.size : pair.native.isCpu() ? 1024 : 8192;
    const uint32_t lanes = pair.native.properties11.subgroupSize;
    const std::vector<uint32_t> words = randomWords(size_t{size} * size);
    Source native(pair.native, words), emulated(pair.emulated, words);
    std::printf("## blocks: copy of %u x %u words\n\n%s, subgroup size %u\n\n", size, size,
                pair.native.name().c_str(), lanes);
    Dispatch dispatch;
    dispatch.groups = {size / lanes * (size / kTileRows) / kBlockSubgroups, 1, 1};
    dispatch.pushConstants = {size, size};
    const uint32_t constants[] = {kBlockSubgroups * lanes, lanes};
    Comparison table("copy", dispatch);
    const auto add = [&](const char* name, Gpu& gpu, Source& source, const char* shader) {
        source.to.fill(0);
        table.add(name, gpu, builtInShader(shader), constants, source.list(), dispatch,
                  [&] { return verdict(differing(words, source.to.read()), size * size); });
    };
    add("plain loop", pair.native, native, "copy_plain");
    add("blocks, 4-byte elements", pair.emulated, emulated, "copy_block4");
    add("blocks, 2-byte elements", pair.emulated, emulated, "copy_block2");
    add("blocks, 1-byte elements", pair.emulated, emulated, "copy_block1");
    table.print(options, 8.0 * size * size, bytesPerSecond);
}

}  // namespace coopvk::bench
