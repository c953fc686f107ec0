// SPDX-License-Identifier: Apache-2.0
//
// One HTML file that needs no other files: the table of all cases, and a map of the elements of
// each case that does not agree.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "compare/report/html_page.hpp"
#include "compare/report/report.hpp"

namespace coopvk::compare {
namespace {

// Cases that get maps; the rest is only listed.
constexpr size_t kMappedCases = 200;
// Elements of a map that show their values.
constexpr size_t kToldElements = 512;

constexpr const char* kStyle =
    ".agree { background: #e2f4e2 } .close { background: #f7f3d4 } .differ { background: #f8d7d4 }"
    " .error { background: #e6d9f2 }\n";

std::string escape(std::string_view text) { return tool::escapeHtml(text); }

std::string sideText(const SideDescription& side) {
    return escape(side.present ? side.name : "not available: " + side.absent);
}

const char* classOf(const Tally& tally) {
    if (tally.errors) return "error";
    if (tally.agreed != tally.cases) return "differ";
    return tally.maxUlps == 0 ? "agree" : "close";
}

void writeTable(std::ostream& out, const Table& table) {
    out << "<table><tr><th>row</th>";
    for (const std::string& operation : table.operations)
        out << "<th>" << escape(operation) << "</th>";
    out << "</tr>\n";
    for (const std::string& row : table.rows) {
        out << "<tr><td>" << escape(row) << "</td>";
        for (const std::string& operation : table.operations) {
            const auto cell = table.cells.find({row, operation});
            if (cell == table.cells.end()) {
                out << "<td></td>";
            } else {
                out << "<td class=\"" << classOf(cell->second) << "\">"
                    << escape(cell->second.text()) << "</td>";
            }
        }
        out << "</tr>\n";
    }
    out << "</table>\n";
}

// From yellow for one ulp to dark red for thousands and more.
std::string colour(double ulps) {
    return tool::heatColour(std::isinf(ulps) ? 1 : std::min(1.0, std::log2(1 + ulps) / 14));
}

std::string tell(const Verdict& verdict, size_t place) {
    const ElementRecord& e = verdict.elements[place];
    const auto value = [&](uint64_t bits) { return toText(verdict.component, bits); };
    std::string text = "[" + std::to_string(place / verdict.columns) + "," +
                       std::to_string(place % verdict.columns) + "]";
    if (verdict.native.present) text += " native " + value(e.native);
    if (verdict.emulated.present) text += " emulated " + value(e.emulated);
    return text + " reference " + value(e.reference);
}

template <typename Distance>
void writeMap(std::ostream& out, const Verdict& verdict, const char* caption, Distance distance) {
    const uint32_t largest = std::max(verdict.rows, verdict.columns);
    const uint32_t cell = std::clamp(320u / std::max(largest, 1u), 3u, 16u);
    out << "<figure><svg role=\"img\" aria-label=\"" << caption << ": a map of " << verdict.rows
        << " x " << verdict.columns << " elements\" width=\"" << verdict.columns * cell
        << "\" height=\"" << verdict.rows * cell << "\">";
    size_t told = 0;
    for (size_t i = 0; i < verdict.elements.size(); ++i) {
        const double ulps = distance(verdict.elements[i]);
        if (ulps == 0) continue;
        out << "<rect x=\"" << i % verdict.columns * cell << "\" y=\"" << i / verdict.columns * cell
            << "\" width=\"" << cell << "\" height=\"" << cell << "\" fill=\"" << colour(ulps)
            << "\">";
        if (++told <= kToldElements)
            out << "<title>" << escape(tell(verdict, i)) << " (" << ulpsText(ulps) << ")</title>";
        out << "</rect>";
    }
    out << "</svg><figcaption>" << caption << "</figcaption></figure>\n";
}

void writeCase(std::ostream& out, const Verdict& verdict) {
    out << "<h2 id=\"case" << verdict.number << "\">" << verdict.number << " "
        << escape(verdict.subject->name) << "</h2>\n<p>" << nameOf(verdict.status) << ": "
        << escape(describe(verdict)) << "</p>\n";
    if (verdict.elements.empty()) return;
    const auto off = [&](bool outside, uint64_t bits, uint64_t reference) {
        return outside ? std::max(1.0, ulpsBetween(verdict.component, bits, reference)) : 0.0;
    };
    const bool both = verdict.native.present && verdict.emulated.present;
    if (both)
        writeMap(out, verdict, "between native and emulated",
                 [](const ElementRecord& e) { return e.ulps; });
    if (verdict.native.present)
        writeMap(out, verdict, "native, where it is off the reference",
                 [&](const ElementRecord& e) { return off(e.nativeOff, e.native, e.reference); });
    if (verdict.emulated.present)
        writeMap(
            out, verdict, "emulated, where it is off the reference",
            [&](const ElementRecord& e) { return off(e.emulatedOff, e.emulated, e.reference); });
}

}  // namespace

void writeHtml(const std::string& file, const Comparison& comparison,
               const std::vector<Verdict>& verdicts) {
    const Table table = tabulate(verdicts);
    std::ofstream out(file);
    out << tool::htmlHead("coopvk compare", kStyle) << "<h1>"
        << escape(comparison.options().extension) << ": " << escape(headline(table.all))
        << "</h1>\n<p>native: " << sideText(comparison.native())
        << "<br>\nemulated: " << sideText(comparison.emulated()) << "<br>\nseed "
        << comparison.options().seed;
    for (const std::string& note : comparison.notes()) out << "<br>\n" << escape(note);
    out << "</p>\n<p>The number of cases that agree, the number of all cases, and the largest "
           "distance. Green: bit-identical; yellow: the specification allows the differences; red: "
           "some cases differ; violet: some could not run.</p>\n";
    writeTable(out, table);
    size_t mapped = 0, left = 0;
    for (const Verdict& verdict : verdicts) {
        if (verdict.status == Status::kAgree) continue;
        if (++mapped <= kMappedCases) {
            writeCase(out, verdict);
        } else {
            ++left;
        }
    }
    if (left != 0) out << "<p>And " << left << " more cases that do not agree.</p>\n";
    out << "</body></html>\n";
    if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace coopvk::compare
