// SPDX-License-Identifier: Apache-2.0
#include "allowances.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <format>
#include <set>
#include <stdexcept>

#include "code.hpp"

namespace coopvk::fleet {
namespace {

// The part of the document that is the program's own.
constexpr std::string_view kBegin = "<!-- fleet: written by scripts/fleet --write: ";
constexpr std::string_view kEnd = "<!-- fleet: end -->\n";
constexpr std::string_view kClose = " -->\n";

struct Part {
    size_t begin, end;  // with the markers
    std::string driver;
    std::string_view rows;
};

Part findPart(std::string_view document) {
    const size_t begin = document.find(kBegin);
    const size_t close = document.find(kClose, begin);
    const size_t end = document.find(kEnd, begin);
    if (begin == document.npos || close == document.npos || end == document.npos || close > end)
        throw std::runtime_error("the document has no part for the fleet's figures");
    return {begin, end + kEnd.size(),
            std::string(document.substr(begin + kBegin.size(), close - begin - kBegin.size())),
            document.substr(close + kClose.size(), end - close - kClose.size())};
}

// The cells of a row "| a | b |".
std::vector<std::string> cells(std::string_view row) {
    std::vector<std::string> list;
    row = trim(row);
    while (row.size() > 1) {
        row.remove_prefix(1);
        const size_t end = std::min(row.find('|'), row.size());
        list.emplace_back(trim(row.substr(0, end)));
        row.remove_prefix(end);
    }
    return list;
}

double number(std::string_view text) {
    double value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || parsed.ptr != text.data() + text.size())
        throw std::runtime_error(std::format("'{}' is no figure of the fleet's", text));
    return value;
}

// "8, 69 %", or "8" if the driver does not give its code.
Allowance allowanceOf(std::string_view cell) {
    const size_t comma = cell.find(',');
    Allowance allowance{number(trim(cell.substr(0, comma))), {}};
    if (comma == cell.npos) return allowance;
    std::string_view useful = trim(cell.substr(comma + 1));
    if (useful.ends_with('%')) useful.remove_suffix(1);
    allowance.useful = number(trim(useful));
    return allowance;
}

std::string cellOf(const Allowance& allowance) {
    std::string cell = std::format("{:.0f}", allowance.spills);
    if (allowance.useful) cell += std::format(", {:.0f} %", *allowance.useful);
    return cell;
}

double spillsOf(const Measurement& m) {
    return m[Statistic::kSpills].value_or(0) + m[Statistic::kScalarSpills].value_or(0);
}

// "navi21 32": a device with a subgroup size.
std::string columnOf(const std::string& device, uint32_t lanes) {
    return std::format("{} {}", device, lanes);
}

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        lines.push_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(text.size(), lines.back().size() + 1));
    }
    return lines;
}

}  // namespace

Allowances::Allowances(std::string_view document) {
    const Part part = findPart(document);
    driver_ = part.driver;
    std::vector<std::string> heading;
    for (const std::string_view line : linesOf(part.rows)) {
        const std::vector<std::string> row = cells(line);
        if (row.size() < 2 || row.front().starts_with("---")) continue;
        if (row.front() == "shader") {
            heading = row;
            continue;
        }
        if (row.size() != heading.size())
            throw std::runtime_error("a row of the fleet's figures has too few or too many cells");
        for (size_t i = 1; i < row.size(); ++i) {
            if (row[i].empty()) continue;
            const size_t space = heading[i].find(' ');
            const auto lanes = static_cast<uint32_t>(number(heading[i].substr(space + 1)));
            rows_[{row.front(), heading[i].substr(0, space), lanes}] = allowanceOf(row[i]);
        }
    }
}

std::vector<std::string> Allowances::check(const Measurement& m, double spillSpread) const {
    if (!m.problem.empty()) return {};
    const auto row = rows_.find({m.subject, m.device, m.size});
    if (row == rows_.end()) return {"no figure is written for it: scripts/fleet --write"};
    std::vector<std::string> problems;
    // The written figure may be the smallest of the figures that the driver gives in different
    // runs.
    const double most = std::floor(row->second.spills * (1 + spillSpread) * (1 + kMoreSpills));
    if (spillsOf(m) > most)
        problems.push_back(
            std::format("spilled registers: {:.0f}, allowed are {:.0f}", spillsOf(m), most));
    if (!row->second.useful) return problems;
    const double least = *row->second.useful - kFewerUseful;
    const double useful = m.hot ? m.hot->counts.useful() : 0;
    if (useful < least)
        problems.push_back(
            std::format("useful vector instructions of the hottest loop: {:.1f} %, at least {:.0f} "
                        "% are wanted",
                        useful, least));
    return problems;
}

std::string Allowances::write(std::string_view document, const std::string& driver,
                              const std::vector<Measurement>& measurements) {
    std::vector<std::string> columns, shaders;
    std::map<std::pair<std::string, std::string>, std::string> figures;
    const auto add = [](std::vector<std::string>& list, const std::string& name) {
        if (std::ranges::find(list, name) == list.end()) list.push_back(name);
    };
    for (const Measurement& m : measurements) {
        if (!m.problem.empty()) continue;
        const std::string column = columnOf(m.device, m.size);
        add(columns, column);
        add(shaders, m.subject);
        Allowance allowance{spillsOf(m), {}};
        if (m.hot) allowance.useful = std::floor(m.hot->counts.useful());
        figures[{m.subject, column}] = cellOf(allowance);
    }
    std::string rows = "| shader |", rule = "|---|";
    for (const std::string& column : columns) {
        rows += " " + column + " |";
        rule += "---|";
    }
    rows += '\n' + rule + '\n';
    for (const std::string& shader : shaders) {
        rows += "| " + shader + " |";
        for (const std::string& column : columns) rows += " " + figures[{shader, column}] + " |";
        rows += '\n';
    }
    const Part part = findPart(document);
    std::string result(document.substr(0, part.begin));
    result.append(kBegin).append(driver).append(kClose).append("\n").append(rows).append("\n");
    return result.append(kEnd).append(document.substr(part.end));
}

std::vector<std::string> problemsOf(const Measurement& m) {
    if (m.isMissing) return {};
    std::vector<std::string> problems;
    if (!m.problem.empty()) problems.push_back(m.problem);
    if (m.seconds > kMaxSeconds && !m.isPlain)
        problems.push_back(
            std::format("processor time: {:.1f} s, allowed are {:.0f}", m.seconds, kMaxSeconds));
    return problems;
}

}  // namespace coopvk::fleet
