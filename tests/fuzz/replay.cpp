// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace coopvk::fuzz {
namespace {

namespace fs = std::filesystem;

struct File {
    fs::path path;
    Bytes bytes;
};

Bytes read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void addFiles(const fs::path& path, std::vector<File>& files) {
    if (!fs::is_directory(path)) {
        files.push_back({path, read(path)});
        return;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back({entry.path(), read(entry.path())});
    }
}

// Keeps an input that failed, for closer inspection.
void report(const std::string& name, const Bytes* bytes, const std::string& complaint) {
    std::printf("%s: %s\n", name.c_str(), complaint.c_str());
    if (bytes == nullptr) return;
    std::ofstream file(name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes->data()),
               static_cast<std::streamsize>(bytes->size()));
}

size_t tryChanges(const std::vector<File>& files, const Subject& subject, uint32_t count) {
    size_t wrong = 0;
    Bytes current;
    for (uint32_t i = 0; i < count; ++i) {
        // Changes of changes, a few deep.
        const File& file = files[i * 2654435761u % files.size()];
        const File& other = files[i * 40503u % files.size()];
        if (i % 4 == 0 || current.empty()) current = file.bytes;
        current = subject.change(current, other.bytes, i);
        if (const auto complaint = subject.check(current)) {
            ++wrong;
            report("wrong-" + std::to_string(i), &current, *complaint);
        }
    }
    return wrong;
}

}  // namespace

int replay(int count, char** arguments, const Subject& subject) {
    bool explains = false;
    uint32_t changes = 0;
    std::vector<File> files;
    for (int i = 1; i < count; ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--explain") {
            explains = subject.explain != nullptr;
        } else if (argument == "--changes" && i + 1 < count) {
            changes = static_cast<uint32_t>(std::strtoul(arguments[++i], nullptr, 10));
        } else {
            addFiles(argument, files);
        }
    }
    std::ranges::sort(files, {}, &File::path);
    size_t wrong = 0;
    for (const File& file : files) {
        if (explains) subject.explain(file.bytes);
        if (const auto complaint = subject.check(file.bytes)) {
            ++wrong;
            report(file.path.string(), nullptr, *complaint);
        }
    }
    if (!files.empty()) wrong += tryChanges(files, subject, changes);
    std::printf("%zu files and %u changes, %zu wrong\n", files.size(), changes, wrong);
    return !files.empty() && wrong == 0 ? 0 : 1;
}

}  // namespace coopvk::fuzz
