// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace coopvk::bench {
namespace {

struct Unit {
    double size;
    const char* name;
};

// The largest unit that the value reaches, else the last.
std::string inUnit(double value, const std::array<Unit, 3>& units) {
    const auto unit = std::find_if(units.begin(), units.end() - 1,
                                   [&](const Unit& u) { return value >= u.size; });
    return fixed(value / unit->size, 2) + " " + unit->name;
}

}  // namespace

Table::Table(std::vector<std::string> columns) { rows_.push_back(std::move(columns)); }

void Table::add(std::vector<std::string> row) {
    row.resize(rows_.front().size());
    rows_.push_back(std::move(row));
}

void Table::print() const {
    std::vector<size_t> widths(rows_.front().size(), 3);
    for (const auto& row : rows_)
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    for (size_t r = 0; r < rows_.size(); ++r) {
        std::string line = "|", rule = "|";
        for (size_t i = 0; i < widths.size(); ++i) {
            const std::string& cell = rows_[r][i];
            line += " " + cell + std::string(widths[i] - cell.size(), ' ') + " |";
            rule += std::string(widths[i] + 2, '-') + "|";
        }
        std::printf("%s\n", line.c_str());
        if (r == 0) std::printf("%s\n", rule.c_str());
    }
    std::printf("\n");
    std::fflush(stdout);
}

std::string fixed(double value, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

std::string flops(double perSecond) {
    return inUnit(perSecond, {{{1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}}});
}

std::string duration(double seconds) {
    return inUnit(seconds, {{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}});
}

}  // namespace coopvk::bench
