// SPDX-License-Identifier: Apache-2.0
//
// The results of a comparison, in several forms.
#pragma once

#include <ostream>

#include "compare/run/comparison.hpp"

namespace coopvk::compare {

// Sums over cases.
struct Tally {
    size_t cases = 0, agreed = 0, errors = 0;
    double maxUlps = 0;
    double nativeShare = 0, emulatedShare = 0;  // the largest used part of the allowed difference

    void add(const Verdict& verdict);
    // "24/24, 3 ulps"; without the ulps where all is bit-identical
    std::string text() const;
    // "native uses at most 3 % of what is allowed, emulated 2 %"; empty if results are exact
    std::string shares() const;
};

struct Table {
    std::vector<std::string> rows, operations;  // in the grid's order
    std::map<std::pair<std::string, std::string>, Tally> cells;
    std::map<std::string, Tally> byOperation;
    Tally all;
};
Table tabulate(const std::vector<Verdict>& verdicts);

// "3 of 256 elements, largest 12 ulps, native is off the reference: [0,3] [0,4]"
std::string describe(const Verdict& verdict);
std::string ulpsText(double ulps);
// "230 of 240 cases agree, 10 differ"
std::string headline(const Tally& all);

void printText(std::ostream& out, const Comparison& comparison,
               const std::vector<Verdict>& verdicts);
// Throw where the file cannot be written.
void writeMarkdown(const std::string& file, const Comparison& comparison,
                   const std::vector<Verdict>& verdicts);
void writeHtml(const std::string& file, const Comparison& comparison,
               const std::vector<Verdict>& verdicts);
void writeJson(const std::string& file, const Comparison& comparison,
               const std::vector<Verdict>& verdicts);

}  // namespace coopvk::compare
