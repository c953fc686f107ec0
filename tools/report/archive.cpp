// SPDX-License-Identifier: Apache-2.0
#include "report/archive.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace coopvk::tool {
namespace {

constexpr size_t kBlock = 512;

// Places in the header of a file, and how long they are.
struct Field {
    size_t at, size;
};
constexpr Field kName = {0, 100}, kMode = {100, 8}, kOwner = {108, 8}, kGroup = {116, 8},
                kSize = {124, 12}, kTime = {136, 12}, kSum = {148, 8}, kType = {156, 1},
                kMagic = {257, 8}, kPrefix = {345, 155};

class Header {
 public:
    Header() : bytes_(kBlock, '\0') {}
    void text(const Field& field, std::string_view value) {
        std::copy_n(value.begin(), std::min(value.size(), field.size),
                    bytes_.begin() + static_cast<ptrdiff_t>(field.at));
    }
    void number(const Field& field, uint64_t value) {
        char digits[32];
        std::snprintf(digits, sizeof(digits), "%0*llo", static_cast<int>(field.size) - 1,
                      static_cast<unsigned long long>(value));
        text(field, digits);
    }
    // The sum of all bytes, with spaces in its own place.
    std::string finish() {
        text(kSum, "        ");
        uint64_t sum = 0;
        for (const char byte : bytes_) sum += static_cast<unsigned char>(byte);
        char digits[16];
        std::snprintf(digits, sizeof(digits), "%06llo", static_cast<unsigned long long>(sum));
        text(kSum, std::string_view(digits, 7));  // with a zero, then the space that is there
        return bytes_;
    }

 private:
    std::string bytes_;
};

std::string headerOf(const ArchivedFile& file, const std::string& folder) {
    Header header;
    header.text(kName, file.name);
    header.text(kPrefix, folder);
    header.number(kMode, 0644);
    header.number(kOwner, 0);
    header.number(kGroup, 0);
    header.number(kSize, file.bytes.size());
    header.number(kTime, static_cast<uint64_t>(std::time(nullptr)));
    header.text(kType, "0");
    header.text(kMagic, std::string_view("ustar\0"
                                         "00",
                                         8));
    return header.finish();
}

std::string_view textAt(std::string_view header, const Field& field) {
    const std::string_view text = header.substr(field.at, field.size);
    return text.substr(0, text.find('\0'));
}

// Of a header; "ustar" is also what the format of GNU tar begins with.
std::optional<uint64_t> sizeIn(std::string_view header) {
    if (!textAt(header, kMagic).starts_with("ustar")) return std::nullopt;
    const std::string_view digits = textAt(header, kSize);
    uint64_t size = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size, 8);
    if (parsed.ec != std::errc()) return std::nullopt;
    return size;
}

std::string nameIn(std::string_view header) {
    std::string name(textAt(header, kName));
    if (textAt(header, kMagic) == "ustar" && header[kPrefix.at] != '\0')
        name = std::string(textAt(header, kPrefix)) + "/" + name;
    return name.substr(name.find('/') + 1);
}

void replaceAll(std::string& bytes, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; at += to.size())
        bytes.replace(at, from.size(), to);
}

}  // namespace

bool writeArchive(std::ostream& out, const std::string& folder,
                  const std::vector<ArchivedFile>& files) {
    const auto fits = [](const ArchivedFile& file) {
        return file.name.size() <= kName.size && file.bytes.size() < (uint64_t{1} << 33);
    };
    if (!std::ranges::all_of(files, fits) || folder.size() > kPrefix.size) return false;
    for (const ArchivedFile& file : files) {
        out << headerOf(file, folder) << file.bytes;
        out << std::string((kBlock - file.bytes.size() % kBlock) % kBlock, '\0');
    }
    out << std::string(2 * kBlock, '\0');
    return static_cast<bool>(out.flush());
}

std::optional<std::vector<ArchivedFile>> readArchive(std::string_view bytes) {
    std::vector<ArchivedFile> files;
    size_t at = 0;
    while (bytes.size() - at >= kBlock && bytes[at] != '\0') {
        const std::string_view header = bytes.substr(at, kBlock);
        const auto size = sizeIn(header);
        at += kBlock;
        if (!size || *size > bytes.size() - at) return std::nullopt;
        if (header[kType.at] == '0')
            files.push_back({nameIn(header), std::string(bytes.substr(at, *size))});
        at = std::min(bytes.size(), at + (*size + kBlock - 1) / kBlock * kBlock);
    }
    if (files.empty() || at == bytes.size()) return std::nullopt;
    return files;
}

std::vector<Personal> personalPaths(const std::string& home, const std::string& folder) {
    std::vector<Personal> paths;
    if (folder.size() > 1) paths.push_back({folder, "."});
    if (home.size() > 1) paths.push_back({home, "~"});
    std::ranges::stable_sort(paths, std::ranges::greater(),
                             [](const Personal& one) { return one.path.size(); });
    return paths;
}

std::string withoutPersonal(std::string bytes, const std::vector<Personal>& paths, bool isText) {
    for (const auto& [path, text] : paths)
        replaceAll(bytes, path, isText ? text : std::string(path.size(), '_'));
    return bytes;
}

}  // namespace coopvk::tool
