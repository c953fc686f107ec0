// SPDX-License-Identifier: Apache-2.0
#include "coopvk/held_matrices.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "lowering/number.hpp"
#include "matrix/context.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {
namespace {

constexpr std::string_view kQuestion = "coopvk: which invocation holds which element?";
// Numbers take the places of #, and the name of the number format is behind it.
constexpr std::string_view kAnswer =
    "coopvk: type # holds # x #, use #, rows in # lanes by #, columns in # lanes by #, packs of #, "
    "along rows #, grid # x #, cells # x #, by columns #, invocations #, of workgroup #, in halves "
    "#, of ";
constexpr size_t kAnswerNumbers = 18;
constexpr uint32_t kMostSize = 0xFFFF, kMostLanes = 1024, kMostHeld = 1u << 22;

// What the text says. The order is that of kAnswer.
struct Answer {
    std::array<uint32_t, kAnswerNumbers> n = {};
    std::string number;

    uint32_t type() const { return n[0]; }
    Axis rows() const { return {n[1], n[4], n[5]}; }
    Axis columns() const { return {n[2], n[6], n[7]}; }
    Grid grid() const { return {n[10], n[11]}; }
    Grid cell() const { return {n[12], n[13]}; }
    bool isByColumns() const { return n[14] != 0; }
    uint32_t invocations() const { return n[15]; }
    Fragment fragment() const {
        return {.rows = rows(),
                .columns = columns(),
                .packWidth = n[8],
                .packAxis = n[9] != 0 ? PackAxis::kRows : PackAxis::kColumns};
    }
    // Whether Fragment may compute with it.
    bool isSound() const {
        const auto isAxis = [](const Axis& axis) {
            return axis.size <= kMostSize && axis.lanes != 0 && axis.size % axis.lanes == 0 &&
                   axis.block != 0 && axis.count() % axis.block == 0 && axis.count() != 0;
        };
        const std::array within = {n[8], n[10], n[11], n[12], n[13], n[15]};
        const bool isWithin =
            std::ranges::all_of(within, [](uint32_t x) { return x != 0 && x <= kMostLanes; });
        if (!isWithin || !isAxis(rows()) || !isAxis(columns())) return false;
        const uint64_t length = uint64_t{rows().count()} * columns().count();
        return grid().columns % cell().columns == 0 && length * invocations() <= kMostHeld &&
               length % n[8] == 0;
    }
};

Answer answerOf(const MatrixContext& context, const MatrixType& matrix) {
    const Fragment& f = matrix.fragment;
    const LaneGrid lanes = context.lanesOf(f);
    const uint32_t width = matrix.isOpen() ? 1 : f.packWidth;
    return {{matrix.id, matrix.rows, matrix.columns, static_cast<uint32_t>(matrix.use),
             f.rows.lanes, f.rows.block, f.columns.lanes, f.columns.block, width,
             f.packAxis == PackAxis::kRows, lanes.grid.rows, lanes.grid.columns, lanes.cell.rows,
             lanes.cell.columns, lanes.isByColumns, lanes.lanes,
             lanes.scope == LaneScope::kWorkgroup, matrix.sumForm == SumForm::kHalves},
            std::string(matrix.number->name)};
}

std::string textOf(const Answer& a) {
    std::string text;
    size_t next = 0;
    for (const char c : kAnswer) {
        if (c == '#')
            text += std::to_string(a.n[next++]);
        else
            text += c;
    }
    return text + a.number;
}

std::optional<Answer> answerFrom(std::string_view text) {
    Answer a;
    size_t next = 0;
    for (const char c : kAnswer) {
        if (c == '#') {
            const auto read = std::from_chars(text.data(), text.data() + text.size(), a.n[next++]);
            if (read.ec != std::errc()) return std::nullopt;
            text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
        } else if (text.starts_with(c)) {
            text.remove_prefix(1);
        } else {
            return std::nullopt;
        }
    }
    if (!a.isSound()) return std::nullopt;
    a.number = text;
    return a;
}

// Where an invocation is in the grid of lanes, as GridPosition computes it.
std::pair<uint32_t, uint32_t> positionOf(const Answer& a, uint32_t invocation) {
    const Grid grid = a.grid(), cell = a.cell();
    if (a.isByColumns()) return {invocation % grid.rows, invocation / grid.rows % grid.columns};
    const uint32_t inCell = invocation % (cell.rows * cell.columns);
    const uint32_t number = invocation / (cell.rows * cell.columns);
    const uint32_t across = grid.columns / cell.columns;
    const uint32_t row = number / across * cell.rows + inCell / cell.columns;
    return {row % grid.rows, number % across * cell.columns + inCell % cell.columns};
}

HeldMatrix matrixOf(const Answer& a) {
    HeldMatrix matrix{.type = a.type(),
                      .rows = a.n[1],
                      .columns = a.n[2],
                      .use = a.n[3],
                      .number = a.number,
                      .ofWorkgroup = a.n[16] != 0,
                      .inHalves = a.n[17] != 0,
                      .invocations = a.invocations()};
    const Fragment f = a.fragment();
    const uint32_t all = matrix.invocations;
    matrix.elements.resize(size_t{f.length()} * all);
    for (uint32_t invocation = 0; invocation < all; ++invocation) {
        const auto [gridRow, gridColumn] = positionOf(a, invocation);
        const bool isCopy = gridRow >= f.rows.lanes || gridColumn >= f.columns.lanes ||
                            invocation >= a.grid().rows * a.grid().columns;
        for (uint32_t row = 0; row < f.rows.count(); ++row)
            for (uint32_t column = 0; column < f.columns.count(); ++column) {
                const uint32_t e = f.packOf(row, column) * f.packWidth + f.componentOf(row, column);
                if (e >= f.length()) continue;
                matrix.elements[size_t{e} * all + invocation] = {
                    f.rows.index(gridRow % f.rows.lanes, row),
                    f.columns.index(gridColumn % f.columns.lanes, column), isCopy};
            }
    }
    return matrix;
}

InstructionPtr stringOf(Module& module, std::string_view text) {
    return makeInstruction(OpString, 0, module.takeId(), stringOperands(text));
}

}  // namespace

void tellElements(MatrixContext& context) {
    InstructionList& debug = context.module.section(Section::kDebug);
    const auto question = std::ranges::find_if(debug, [](const InstructionPtr& i) {
        return i->opcode == OpString && stringFromOperands(*i, 0) == kQuestion;
    });
    if (question == debug.end()) return;
    InstructionList answers;
    for (const auto& [id, matrix] : context.matrices)
        if (!matrix.tiles && matrix.number != nullptr)
            answers.push_back(stringOf(context.module, textOf(answerOf(context, matrix))));
    debug.insert(question, std::move_iterator(answers.begin()), std::move_iterator(answers.end()));
}

std::vector<uint32_t> askForElements(std::span<const uint32_t> words) {
    std::vector<uint32_t> out(words.begin(), words.end());
    if (words.size() < kHeaderWords || words[0] != spv::MagicNumber) return out;
    size_t at = 0;  // the end of the sections ahead of strings
    anyInstruction(words.subspan(kHeaderWords), [&](spv::Op opcode, std::span<const uint32_t> i) {
        if (sectionOf(opcode) >= Section::kDebug) return true;
        at = static_cast<size_t>(i.data() - words.data()) + i.size();
        return false;
    });
    if (at == 0) return out;
    const Operands text = stringOperands(kQuestion);
    std::vector<uint32_t> string = {firstWord(OpString, 2 + text.size()), out[3]++};
    for (const Operand& characters : text) string.push_back(characters.word);
    out.insert(out.begin() + static_cast<ptrdiff_t>(at), string.begin(), string.end());
    return out;
}

std::vector<HeldMatrix> heldMatrices(std::span<const uint32_t> words) {
    std::vector<HeldMatrix> matrices;
    if (words.size() < kHeaderWords || words[0] != spv::MagicNumber) return matrices;
    anyInstruction(words.subspan(kHeaderWords), [&](spv::Op opcode, std::span<const uint32_t> i) {
        if (opcode == OpFunction) return true;
        if (opcode != OpString) return false;
        std::string text;
        for (const uint32_t word : i.subspan(2))
            for (uint32_t byte = 0; byte < 4; ++byte)
                if (const char c = static_cast<char>(word >> 8 * byte & 0xFF); c != '\0') text += c;
        if (const auto answer = answerFrom(text)) matrices.push_back(matrixOf(*answer));
        return false;
    });
    return matrices;
}

}  // namespace coopvk::rewrite
