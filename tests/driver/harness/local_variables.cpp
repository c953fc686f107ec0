// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <sstream>

#include "shader.hpp"

namespace coopvk::test {
namespace {

std::vector<std::string> wordsOf(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// The value that is stored to each local variable that is stored once and only loaded as a whole.
std::map<std::string, std::string> storedOnce(const std::vector<std::vector<std::string>>& code) {
    std::map<std::string, std::string> values;
    for (const auto& i : code) {
        if (i.size() == 5 && i[2] == "OpVariable" && i[4] == "Function") values[i[0]] = "";
    }
    for (const auto& i : code) {
        const bool isName = !i.empty() && (i[0] == "OpName" || i[0] == "OpDecorate");
        for (size_t w = isName ? i.size() : 1; w < i.size(); ++w) {
            const auto found = values.find(i[w]);
            if (found == values.end()) continue;
            const bool isLoad = i.size() == 5 && i[2] == "OpLoad";
            const bool isFirstStore =
                i.size() == 3 && i[0] == "OpStore" && w == 1 && found->second.empty();
            if (isFirstStore) found->second = i[2];
            if (!isLoad && !isFirstStore) values.erase(found);
        }
    }
    std::erase_if(values, [](const auto& entry) { return entry.second.empty(); });
    return values;
}

}  // namespace

Words withoutLocalVariables(const Words& words) {
    std::vector<std::vector<std::string>> code;
    std::istringstream lines(disassemble(words));
    for (std::string line; std::getline(lines, line);) code.push_back(wordsOf(line));
    const std::map<std::string, std::string> stored = storedOnce(code);
    std::map<std::string, std::string> renamed;
    for (const auto& i : code) {
        if (i.size() == 5 && i[2] == "OpLoad" && stored.contains(i[4])) {
            renamed[i[0]] = stored.at(i[4]);
        }
    }
    std::string text;
    for (const auto& i : code) {
        const bool isGone = std::ranges::any_of(i, [&](const std::string& word) {
            return stored.contains(word) || (!i.empty() && word == i[0] && renamed.contains(word));
        });
        if (isGone) continue;
        for (std::string word : i) {
            while (renamed.contains(word)) word = renamed.at(word);
            text += word + " ";
        }
        text += "\n";
    }
    return assemble(text);
}

}  // namespace coopvk::test
