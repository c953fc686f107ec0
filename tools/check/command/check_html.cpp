// SPDX-License-Identifier: Apache-2.0
#include "check/command/check_html.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <fstream>
#include <functional>
#include <sstream>

#include "check/command/check_output.hpp"
#include "compare/report/html_page.hpp"
#include "system/text.hpp"

namespace coopvk::tool {
namespace {

using check::StoredElement;
using check::StoredMatrix;

// Of all outcomes, and of a matrix.
constexpr size_t kMostPictures = 24, kMostListed = 64;
constexpr uint32_t kMostSide = 64;  // rows and columns that a picture shows

constexpr const char* kStyle =
    "text { font: 8px system-ui, sans-serif; text-anchor: middle; dominant-baseline: central }\n"
    ".wrong { stroke: #c00; stroke-width: 2; fill: none }\n"
    "pre { font-size: 12px; white-space: pre-wrap }\n";

double numberOf(const reference::ShownNumber& number) {
    using Kind = reference::ShownNumber::Kind;
    if (number.kind == Kind::kFloat) return reference::numbers::valueOf(number.format, number.bits);
    if (number.kind != Kind::kSigned) return static_cast<double>(number.bits);
    const uint32_t unused = 64 - std::clamp(number.width, 1u, 64u);
    return static_cast<double>(static_cast<int64_t>(number.bits << unused) >> unused);
}

// Infinite where one of both is no number.
double errorOf(const StoredElement& element) {
    if (!element.differs()) return 0;
    const double error = std::abs(numberOf(element.rewritten) - numberOf(element.native));
    return std::isnan(error) ? HUGE_VAL : error;
}

std::string holderOf(const std::optional<uint32_t>& invocation) {
    return invocation ? std::to_string(*invocation) : "none";
}

std::string tell(const StoredMatrix& matrix, size_t i) {
    const StoredElement& e = matrix.elements[i];
    if (!e.byte) return std::format("[{},{}] not stored", i / matrix.columns, i % matrix.columns);
    return std::format("[{},{}] native {} by invocation {}, rewritten {} by invocation {}",
                       i / matrix.columns, i % matrix.columns, textOf(e.native),
                       holderOf(e.nativeInvocation), textOf(e.rewritten),
                       holderOf(e.rewrittenInvocation));
}

// Neighbouring numbers have colours that are far from each other.
std::string laneColour(uint32_t invocation) {
    return std::format("hsl({},65%,{}%)", uint64_t{invocation} * 137508 / 1000 % 360,
                       72 + invocation % 3 * 6);
}

struct Cell {
    std::string colour;  // empty: none
    std::string text;
};
using CellOf = std::function<Cell(const StoredElement&)>;

void writePicture(std::ostream& out, const StoredMatrix& matrix, const std::string& caption,
                  const CellOf& cellOf) {
    const uint32_t rows = std::min(matrix.rows, kMostSide);
    const uint32_t columns = std::min(matrix.columns, kMostSide);
    const uint32_t size = columns > 32 || rows > 32 ? 12 : 20;
    out << std::format("<figure><svg role=\"img\" aria-label=\"{}\" width=\"{}\" height=\"{}\">",
                       escapeHtml(caption), columns * size, rows * size);
    std::string marks;
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t c = 0; c < columns; ++c) {
            const size_t i = size_t{r} * matrix.columns + c;
            const Cell cell = cellOf(matrix.elements[i]);
            if (!cell.colour.empty())
                out << std::format(
                    "<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
                    "fill=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text></g>\n",
                    escapeHtml(tell(matrix, i)), c * size, r * size, size, size, cell.colour,
                    c * size + size / 2, r * size + size / 2, cell.text);
            if (matrix.elements[i].differs())
                marks += std::format(
                    "<rect class=\"wrong\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                    c * size + 1, r * size + 1, size - 2, size - 2);
        }
    out << marks << "</svg><figcaption>" << escapeHtml(caption);
    if (rows < matrix.rows || columns < matrix.columns)
        out << std::format(" (the first {} x {})", rows, columns);
    out << "</figcaption></figure>\n";
}

void writeHolders(std::ostream& out, const StoredMatrix& matrix, const char* side,
                  std::optional<uint32_t> StoredElement::* holder) {
    writePicture(out, matrix, std::format("{}: the invocations that stored the elements", side),
                 [holder](const StoredElement& element) {
                     const auto& invocation = element.*holder;
                     return invocation ? Cell{laneColour(*invocation), std::to_string(*invocation)}
                                       : Cell{};
                 });
}

// The text beside the pictures.
void writeList(std::ostream& out, const StoredMatrix& matrix) {
    out << "<details><summary>The elements that differ, as a table</summary><table><tr>"
           "<th>row</th><th>column</th><th>native</th><th>rewritten</th>"
           "<th>stored natively by invocation</th><th>rewritten by invocation</th></tr>\n";
    size_t listed = 0;
    for (size_t i = 0; i < matrix.elements.size(); ++i) {
        const StoredElement& e = matrix.elements[i];
        if (!e.differs() || ++listed > kMostListed) continue;
        out << std::format(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            i / matrix.columns, i % matrix.columns, textOf(e.native), textOf(e.rewritten),
            holderOf(e.nativeInvocation), holderOf(e.rewrittenInvocation));
    }
    out << "</table>";
    if (listed > kMostListed) out << "<p>And " << listed - kMostListed << " more.</p>";
    out << "</details>\n";
}

void writeMatrix(std::ostream& out, const StoredMatrix& matrix, const std::string& buffer) {
    double largest = 0;
    for (const StoredElement& element : matrix.elements)
        if (std::isfinite(errorOf(element))) largest = std::max(largest, errorOf(element));
    const auto& group = matrix.workgroup;
    out << std::format(
        "<h3>{}: {}</h3>\n<p>Stored by the instruction at word {}, workgroup "
        "{},{},{}, subgroup {}. {} of {} elements differ, by at most {:.6g}.</p>\n",
        escapeHtml(buffer), escapeHtml(matrix.type), matrix.word, group[0], group[1], group[2],
        matrix.subgroup, matrix.differing(), matrix.elements.size(), largest);
    writePicture(out, matrix, "errors: yellow is small, dark red is the largest",
                 [largest](const StoredElement& element) {
                     const double error = errorOf(element);
                     if (!element.differs()) return Cell{};
                     const bool isFinite = std::isfinite(error) && largest > 0;
                     return Cell{heatColour(isFinite ? error / largest : 1), ""};
                 });
    writeHolders(out, matrix, "native", &StoredElement::nativeInvocation);
    writeHolders(out, matrix, "rewritten", &StoredElement::rewrittenInvocation);
    writeList(out, matrix);
}

std::string textOfOutcome(const check::Outcome& outcome) {
    std::ostringstream text;
    printText(text, {outcome});
    return text.str();
}

}  // namespace

void CheckPage::add(const check::Replay& replay) {
    size_t has = 0;
    for (const Pictures& pictures : pictures_) has += pictures.matrices.size();
    if (!check::isFault(replay.outcome.verdict) || has >= kMostPictures) return;
    Pictures pictures{.outcome = replay.outcome,
                      .matrices = check::differingMatrices(replay, kMostPictures - has)};
    for (const check::Buffer& buffer : replay.memory.buffers)
        pictures.buffers.push_back(buffer.name);
    pictures_.push_back(std::move(pictures));
}

bool CheckPage::write(const std::string& file, const std::vector<check::Outcome>& outcomes) const {
    std::ofstream out(file);
    out << htmlHead("coopvk check", kStyle)
        << "<h1>coopvk check: " << escapeHtml(layer::printable(input_)) << "</h1>\n<pre>";
    for (const check::Outcome& outcome : outcomes) out << escapeHtml(textOfOutcome(outcome));
    out << "</pre>\n";
    if (!pictures_.empty())
        out << "<p>Marked in red is what is not the same on both sides, also where the "
               "specifications leave it open. Point at an element to see its numbers.</p>\n";
    for (const Pictures& pictures : pictures_) {
        std::string title = textOfOutcome(pictures.outcome);
        out << "<h2>" << escapeHtml(title.substr(0, title.find('\n'))) << "</h2>\n";
        for (const StoredMatrix& matrix : pictures.matrices)
            writeMatrix(out, matrix, pictures.buffers[matrix.buffer]);
        if (pictures.matrices.empty())
            out << "<p>No stored matrix differs: what does is no matrix natively, or was stored "
                   "from other places.</p>\n";
    }
    if (pictures_.empty()) out << "<p>Nothing differs: there is no picture.</p>\n";
    out << "</body></html>\n";
    return static_cast<bool>(out.flush());
}

}  // namespace coopvk::tool
