// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "../driver/harness/random.hpp"

namespace coopvk::test {
namespace {

namespace fs = std::filesystem;

struct PatternRow {
    std::string_view name;
    Pattern pattern;
    uint32_t bytes;  // of an element
};
constexpr PatternRow kPatterns[] = {
    {"f16", Pattern::kHalfs, 2}, {"f32", Pattern::kFloats, 4}, {"u8", Pattern::kBytes, 1},
    {"u32", Pattern::kWords, 4}, {"zero", Pattern::kZero, 4},  {"random", Pattern::kRandom, 4},
};

const PatternRow& rowOf(Pattern pattern) {
    return *std::ranges::find_if(kPatterns,
                                 [&](const PatternRow& row) { return row.pattern == pattern; });
}

std::string readFile(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

[[noreturn]] void fail(const Input& input, const std::string& line) {
    throw std::runtime_error(input.name + ": cannot read \"" + line + "\"");
}

InputBuffer bufferFrom(const Input& input, const std::string& text) {
    const size_t colon = text.find(':');
    if (colon == text.npos) fail(input, text);
    const auto row = std::ranges::find_if(
        kPatterns, [&](const PatternRow& r) { return r.name == text.substr(0, colon); });
    if (row == std::end(kPatterns)) fail(input, text);
    return {row->pattern, static_cast<uint32_t>(std::stoul(text.substr(colon + 1)))};
}

void readDirective(Input& input, const std::string& line) {
    std::istringstream words(line);
    std::string key, word;
    words >> key;
    if (key == "refused") {
        input.isRefused = true;
        std::getline(words >> std::ws, input.refused);
        return;
    }
    if (key == "unchecked") {
        std::getline(words >> std::ws, input.unchecked);
        return;
    }
    if (key == "invalid") {
        std::getline(words >> std::ws, input.invalid);
        return;
    }
    if (key == "unoptimised") {
        std::getline(words >> std::ws, input.unoptimised);
        return;
    }
    if (key == "subgroup") {
        input.isSubgroup = true;
        return;
    }
    while (words >> word) {
        if (key == "needs") {
            input.needs.push_back(word);
        } else if (key == "buffers") {
            input.buffers.push_back(bufferFrom(input, word));
        } else if (key == "push") {
            input.push.push_back(static_cast<uint32_t>(std::stoul(word)));
        } else if (key == "spec" && word.find('=') != word.npos) {
            const size_t at = word.find('=');
            input.specialization[static_cast<uint32_t>(std::stoul(word.substr(0, at)))] =
                static_cast<uint32_t>(std::stoul(word.substr(at + 1)));
        } else if (key == "lanes") {
            input.lanes.push_back(static_cast<uint32_t>(std::stoul(word)));
        } else if (key == "groups") {
            input.groups = static_cast<uint32_t>(std::stoul(word));
        } else if (key == "heap") {
            input.heap = static_cast<uint32_t>(std::stoul(word));
        } else {
            fail(input, line);
        }
    }
}

void readDirectives(Input& input) {
    static constexpr std::string_view kMark = "test: ";
    std::istringstream lines(input.source);
    for (std::string line; std::getline(lines, line);) {
        const bool isComment = line.starts_with("//") || line.starts_with(";");
        const size_t at = line.find(kMark);
        if (isComment && at != line.npos) readDirective(input, line.substr(at + kMark.size()));
    }
}

// A number from -4 to 4, as the bits of the element.
uint32_t smallNumber(Pattern pattern, Rng& rng) {
    // f16 of 0, 1, 2, 3 and 4.
    static constexpr uint32_t kHalfs[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
    const int64_t value = rng.range(-4, 4);
    if (pattern == Pattern::kHalfs) return kHalfs[std::abs(value)] | (value < 0 ? 0x8000u : 0u);
    if (pattern == Pattern::kFloats) return std::bit_cast<uint32_t>(static_cast<float>(value));
    if (pattern == Pattern::kZero) return 0;
    if (pattern == Pattern::kRandom) return static_cast<uint32_t>(rng.next());
    return static_cast<uint32_t>(value + 4);
}

}  // namespace

std::vector<Input> allInputs() {
    std::map<std::string, Input> inputs;
    std::map<std::string, std::string> expected;
    for (const fs::directory_entry& entry : fs::directory_iterator(COOPVK_INPUTS)) {
        static constexpr std::string_view kExpected = ".expected.comp";
        const std::string file = entry.path().filename();
        if (file.ends_with(kExpected)) {
            expected[file.substr(0, file.size() - kExpected.size())] = readFile(entry.path());
            continue;
        }
        Input input;
        input.name = entry.path().stem();
        input.source = readFile(entry.path());
        input.isAssembly = entry.path().extension() == ".spvasm";
        readDirectives(input);
        inputs[input.name] = input;
    }
    for (const auto& [name, source] : expected) inputs.at(name).expected = source;
    std::vector<Input> result;
    for (auto& [name, input] : inputs) result.push_back(std::move(input));
    return result;
}

std::vector<std::byte> contents(const InputBuffer& buffer, uint64_t seed) {
    Rng rng(seed);
    const uint32_t size = rowOf(buffer.pattern).bytes;
    std::vector<std::byte> bytes(size_t{size} * buffer.count);
    for (uint32_t i = 0; i < buffer.count; ++i) {
        const uint32_t value = smallNumber(buffer.pattern, rng);
        std::memcpy(bytes.data() + size_t{size} * i, &value, size);
    }
    return bytes;
}

}  // namespace coopvk::test
