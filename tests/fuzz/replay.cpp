// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace coopvk::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> filesAt(const fs::path& path) {
    if (!fs::is_directory(path)) return {path};
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

std::vector<uint8_t> read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int replay(int count, char** arguments, Check check, Explain explain) {
    size_t tried = 0, wrong = 0;
    bool explains = false;
    for (int i = 1; i < count; ++i) {
        if (std::string_view(arguments[i]) == "--explain") {
            explains = explain != nullptr;
            continue;
        }
        for (const fs::path& path : filesAt(arguments[i])) {
            const std::vector<uint8_t> bytes = read(path);
            ++tried;
            if (explains) explain(bytes);
            const std::optional<std::string> complaint = check(bytes);
            if (!complaint) continue;
            ++wrong;
            std::printf("%s: %s\n", path.string().c_str(), complaint->c_str());
        }
    }
    std::printf("%zu files, %zu wrong\n", tried, wrong);
    return tried > 0 && wrong == 0 ? 0 : 1;
}

}  // namespace coopvk::fuzz
