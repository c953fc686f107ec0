// SPDX-License-Identifier: Apache-2.0
//
// A shader as text, for faults to be planted into.
#pragma once

#include <algorithm>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace coopvk::test {

// SPIR-V as lines of text, with names that show types and values: %float, %uint_8.
class Text {
 public:
    explicit Text(const std::string& text) {
        for (size_t begin = 0; begin < text.size();) {
            const size_t end = std::min(text.find('\n', begin), text.size());
            lines_.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
    }

    // The parts of the n-th line that matches; the place in `at`.
    struct Match {
        std::vector<std::string> parts;
        const std::string& str(size_t i) const { return parts[i]; }
    };
    std::optional<Match> find(const std::string& pattern, size_t n = 0) {
        const std::regex regex(pattern);
        for (at = 0; at < lines_.size(); ++at) {
            std::smatch match;
            if (!std::regex_search(lines_[at], match, regex) || n-- != 0) continue;
            return Match{{match.begin(), match.end()}};
        }
        return std::nullopt;
    }
    void replace(const std::string& line) { lines_[at] = line; }
    void insertAfter(const std::string& line) {
        lines_.insert(lines_.begin() + static_cast<ptrdiff_t>(++at), line);
    }
    // From the place on.
    void rename(const std::string& from, const std::string& to) {
        const std::regex regex(from + "\\b");
        for (size_t i = at + 1; i < lines_.size(); ++i)
            lines_[i] = std::regex_replace(lines_[i], regex, to);
    }
    // The last of types, constants and variables.
    void declare(const std::string& line) {
        size_t first = 0;
        while (lines_[first].find(" = OpFunction ") == std::string::npos) ++first;
        lines_.insert(lines_.begin() + static_cast<ptrdiff_t>(first), line);
    }
    bool has(const std::string& text) const {
        for (const std::string& line : lines_)
            if (line.find(text) != std::string::npos) return true;
        return false;
    }
    std::string join() const {
        std::string text;
        for (const std::string& line : lines_) text += line + "\n";
        return text;
    }
    size_t at = 0;

 private:
    std::vector<std::string> lines_;
};

// The index of an invocation as %fault_input, and a constant to compare it with.
inline void declareLane(Text& text) {
    const auto entry = text.find(R"(^ *OpEntryPoint .*)");
    text.replace(entry->str(0) + " %fault_input");
    text.find(R"(^ *OpExecutionMode )");
    text.insertAfter("OpDecorate %fault_input BuiltIn LocalInvocationIndex");
    if (!text.has("%bool = OpTypeBool")) text.declare("%bool = OpTypeBool");
    text.declare("%fault_pointer = OpTypePointer Input %uint");
    text.declare("%fault_input = OpVariable %fault_pointer Input");
    text.declare("%fault_three = OpConstant %uint 3");
}

// %fault_here: whether this is lane 3.
inline void insertLaneTest(Text& text) {
    text.insertAfter("%fault_lane = OpLoad %uint %fault_input");
    text.insertAfter("%fault_here = OpIEqual %bool %fault_lane %fault_three");
}

}  // namespace coopvk::test
