// SPDX-License-Identifier: Apache-2.0
#include "system/pattern.hpp"

#include <algorithm>
#include <cctype>

namespace coopvk::layer::system {
namespace {

class Matcher {
 public:
    explicit Matcher(bool ignoreCase) : ignoreCase_(ignoreCase) {}

    bool matches(std::string_view pattern, std::string_view name) const {
        while (!pattern.empty()) {
            if (pattern.front() == '*') return matchesRest(pattern.substr(1), name);
            if (name.empty() || !matchesOne(pattern, name.front())) return false;
            name.remove_prefix(1);
        }
        return name.empty();
    }

 private:
    char folded(char c) const {
        return ignoreCase_ ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
    }

    // Behind a '*'.
    bool matchesRest(std::string_view pattern, std::string_view name) const {
        for (;;) {
            if (matches(pattern, name)) return true;
            if (name.empty()) return false;
            name.remove_prefix(1);
        }
    }

    // Takes from the pattern what is for one character.
    bool matchesOne(std::string_view& pattern, char c) const {
        char first = pattern.front();
        if (first == '[' && pattern.find(']', membersOf(pattern) + 1) != pattern.npos)
            return matchesSet(pattern, c);
        if (first == '\\' && pattern.size() > 1) {
            pattern.remove_prefix(1);
            first = pattern.front();
        } else if (first == '?') {
            c = first;
        }
        pattern.remove_prefix(1);
        return folded(first) == folded(c);
    }

    // Where the members begin of a set at the start of the pattern.
    static size_t membersOf(std::string_view pattern) {
        return pattern.starts_with("[!") || pattern.starts_with("[^") ? 2 : 1;
    }

    // "[a-cx]", or "[!a-cx]" for all others; a ']' that comes first is one of them.
    bool matchesSet(std::string_view& pattern, char c) const {
        size_t i = membersOf(pattern);
        const bool isNegated = i == 2;
        bool isFound = false;
        for (const size_t start = i; i < pattern.size() && (i == start || pattern[i] != ']'); ++i) {
            const char low = folded(pattern[i]);
            const bool isRange =
                i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']';
            const char high = isRange ? folded(pattern[i + 2]) : low;
            if (isRange) i += 2;
            isFound = isFound || (low <= folded(c) && folded(c) <= high);
        }
        pattern.remove_prefix(std::min(i + 1, pattern.size()));
        return isFound != isNegated;
    }

    bool ignoreCase_;
};

}  // namespace

bool matchesWithoutFnmatch(std::string_view pattern, std::string_view name, bool ignoreCase) {
    return Matcher(ignoreCase).matches(pattern, name);
}

}  // namespace coopvk::layer::system
