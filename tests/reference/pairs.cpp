// SPDX-License-Identifier: Apache-2.0
#include "pairs.hpp"

#include <algorithm>
#include <filesystem>
#include <format>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace coopvk::reference::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTable = ".pairs";

std::string textOf(const std::string& name) {
    std::ifstream file(fs::path(COOPVK_PAIRS) / name);
    if (!file) throw std::runtime_error("no file " + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// "== NAME | CHECK | OPTION...", and what follows.
struct Entry {
    Pair pair;
    uint32_t size = 8;
    bool hasVulkanModel = false;
    std::string mode;                 // attribute of the right program's main
    std::string outside[2], body[2];  // of the right program, and of the faulty one

    explicit Entry(const std::string& header) {
        std::istringstream fields(header.substr(2));
        std::string options;
        std::getline(fields, pair.name, '|');
        std::getline(fields, pair.check, '|');
        std::getline(fields, options);
        pair.name = trimmed(pair.name);
        pair.check = trimmed(pair.check);
        std::istringstream words(options);
        for (std::string word; words >> word;) readOption(word);
    }

    void readOption(const std::string& word) {
        const size_t equals = word.find('=');
        const std::string key = word.substr(0, equals);
        const auto value = [&] { return std::stoul(word.substr(equals + 1)); };
        if (key == "vulkan")
            hasVulkanModel = true;
        else if (key == "apart")
            pair.isApart = true;
        else if (key == "promised")
            mode = word.substr(equals + 1);
        else if (key == "size")
            size = static_cast<uint32_t>(value());
        else if (key == "groups")
            pair.groups = static_cast<uint32_t>(value());
        else
            throw std::runtime_error(pair.name + ": no option " + word);
    }

    void add(std::string line, size_t number) {
        const bool isOutside = line.front() == '@';
        if (isOutside) line.erase(0, 1);
        for (const size_t faulty : {0u, 1u}) {
            if (line.starts_with(faulty == 0 ? '-' : '+')) continue;
            std::string& text = (isOutside ? outside : body)[faulty];
            text += std::format("#line {}\n{}\n", number, line.substr(line.empty() ? 0 : 1));
        }
    }

    std::string program(size_t faulty) const {
        std::string text = "#version 460\n";
        if (hasVulkanModel) text += "#pragma use_vulkan_memory_model\n";
        text += textOf("preamble.glsl");
        if (hasVulkanModel) text += textOf("preamble_vulkan.glsl");
        text += std::format("layout(local_size_x = {}) in;\n", size);
        const std::string attribute = faulty == 1 || mode.empty() ? "" : "[[" + mode + "]] ";
        return text + outside[faulty] + "void main() " + attribute + "{\n" + body[faulty] + "}\n";
    }
};

}  // namespace

std::vector<std::string> pairTables() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(COOPVK_PAIRS))
        if (entry.path().extension() == kTable) names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

std::vector<Pair> readPairs(const std::string& table) {
    std::istringstream lines(textOf(table + std::string(kTable)));
    std::vector<Entry> entries;
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.starts_with("=="))
            entries.emplace_back(line);
        else if (!trimmed(line).empty() && line.front() != '#')
            entries.at(entries.size() - 1).add(line, number);
    }
    std::vector<Pair> pairs;
    for (Entry& entry : entries) {
        entry.pair.right = entry.program(0);
        entry.pair.faulty = entry.program(1);
        pairs.push_back(std::move(entry.pair));
    }
    return pairs;
}

}  // namespace coopvk::reference::test
