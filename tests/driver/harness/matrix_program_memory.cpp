// SPDX-License-Identifier: Apache-2.0
//
// Statements that load and store: from input, by tensors, through shared memory.
#include <format>

#include "glsl.hpp"
#include "matrix_program.hpp"
#include "tensor_case.hpp"

namespace coopvk::test {
namespace {

using Made = std::optional<Statement>;

constexpr uint32_t kSubgroups = 2;  // at most, where subgroups have their own memory
constexpr uint32_t kMostElements = 8000;

const auto kAny = [](const MatrixType&) { return true; };

// The position of a matrix in memory.
struct Place {
    bool columnMajor;
    uint32_t first, stride, step;  // step: from one subgroup's to the next one's

    uint32_t at(const MatrixType& type, uint32_t subgroup, uint32_t row, uint32_t column) const {
        return first + (type.ofWorkgroup ? 0 : subgroup * step) +
               (columnMajor ? column * stride + row : row * stride + column);
    }
    uint32_t size(const MatrixType& type) const {
        return stride * (columnMajor ? type.columns : type.rows);
    }
    std::string arguments(const Variable& v, std::string_view array) const {
        return std::format("{}, {}, {}u{}, {}u, {}", v.name, array, first, v.type.offset(step),
                           stride, glsl::layout(columnMajor));
    }
};

Place randomPlace(ProgramWriter& w, const MatrixType& type) {
    Place place = {w.chance(2), 0, 0, 0};
    place.stride = (place.columnMajor ? type.rows : type.columns) +
                   (w.chance(2) ? 0 : static_cast<uint32_t>(w.pick(9)));
    return place;
}

template <typename Do>
void eachElement(const MatrixType& type, Do act) {
    for (uint32_t row = 0; row < type.rows; ++row)
        for (uint32_t column = 0; column < type.columns; ++column) act(row, column);
}

Made load(ProgramWriter& w, const Variables& all) {
    const size_t i = *w.variable(all, kAny);
    return loadOf(w, all[i], i);
}

struct Tensor {
    TensorWish wish;
    TensorCase tensor;
    std::string declarations, arguments;
    uint32_t step = 0;
    std::vector<TensorElement> places;
};

std::optional<Tensor> randomTensorOf(ProgramWriter& w, const MatrixType& type, bool isStore) {
    Tensor t;
    t.wish = {1 + static_cast<uint32_t>(w.pick(3)),
              static_cast<TensorClamp>(w.pick(5)),
              static_cast<TensorViewKind>(w.pick(kTensorViewKinds)),
              type.rows,
              type.columns,
              isStore};
    t.wish.isAligned = w.chance(2);
    t.tensor = randomTensor(w.rng, t.wish);
    if (sizeOf(t.tensor.layout) > kMostElements) return std::nullopt;
    const int64_t clamp = w.rng.range(0, 9);
    t.tensor.layout.clampValue = static_cast<uint32_t>(
        info(type.component).isFloat() ? fromDouble(type.component, static_cast<double>(clamp))
                                       : static_cast<uint64_t>(clamp));
    const uint32_t name = w.names++;
    t.declarations = w.numbers.layout(std::format("t{}", name), t.tensor.layout);
    t.arguments = std::format("t{}", name);
    if (t.tensor.view) {
        t.declarations += w.numbers.view(std::format("v{}", name), *t.tensor.view);
        t.arguments += std::format(", v{}", name);
    }
    t.places = placesOf(t.tensor, t.wish);
    return t;
}

Made tensorLoad(ProgramWriter& w, const Variables& all) {
    const size_t i = *w.variable(all, kAny);
    const MatrixType type = all[i].type;
    const std::optional<Tensor> t = randomTensorOf(w, type, false);
    if (!t) return std::nullopt;
    const auto first = static_cast<uint32_t>(8 * w.pick(3)), step = 8u;
    const uint32_t size = sizeOf(t->tensor.layout);
    w.reads(type.isFactor, first + step * kSubgroups + size + 8);
    std::vector<int64_t> input;
    for (uint32_t e = 0; e < first + step * kSubgroups + size; ++e)
        input.push_back(w.input(type.isFactor, e));
    int64_t clamp =
        info(type.component).isFloat()
            ? static_cast<int64_t>(toDouble(type.component, t->tensor.layout.clampValue))
            : t->tensor.layout.clampValue;
    return Statement{
        std::format("{{\n{}coopMatLoadTensorNV({}, input{}, {}u{}, {});\n}}\n", t->declarations,
                    all[i].name, type.suffix(), first, type.offset(step), t->arguments),
        [=, places = t->places](Machine& m) {
            const uint32_t base = first + (type.ofWorkgroup ? 0 : m.subgroup * step);
            for (size_t e = 0; e < places.size(); ++e) {
                int64_t& to = m.variables[i].elements[e];
                if (places[e].access == TensorAccess::element) to = input[base + places[e].index];
                if (places[e].access == TensorAccess::constant) to = clamp;
            }
            return true;
        }};
}

Made tensorStore(ProgramWriter& w, const Variables& all) {
    const size_t i = *w.variable(all, kAny);
    const MatrixType type = all[i].type;
    const std::optional<Tensor> t = randomTensorOf(w, type, true);
    if (!t) return std::nullopt;
    const uint32_t step = (sizeOf(t->tensor.layout) + 15) / 8 * 8;
    const uint32_t first = w.output(type.isFactor, step * kSubgroups);
    return Statement{std::format("{{\n{}{}coopMatStoreTensorNV({}, output{}, {}u{}, {});\n}}\n",
                                 type.barrier(), t->declarations, all[i].name, type.suffix(), first,
                                 type.offset(step), t->arguments),
                     [=, places = t->places](Machine& m) {
                         const uint32_t base = first + (type.ofWorkgroup ? 0 : m.subgroup * step);
                         for (size_t e = 0; e < places.size(); ++e) {
                             if (places[e].access == TensorAccess::element)
                                 m.written[{type.isFactor ? 2u : 3u, base + places[e].index}] =
                                     m.variables[i].elements[e];
                         }
                         return true;
                     }};
}

// From one variable to another of any use, of the same or of exchanged sizes.
Made throughShared(ProgramWriter& w, const Variables& all) {
    const size_t i = *w.variable(all, kAny);
    const MatrixType to = all[i].type;
    const bool transposes = w.chance(2);
    const auto j = w.variable(all, [&](const MatrixType& from) {
        return from.isFactor == to.isFactor && from.ofWorkgroup == to.ofWorkgroup &&
               from.rows == (transposes ? to.columns : to.rows) &&
               from.columns == (transposes ? to.rows : to.columns);
    });
    if (!j) return std::nullopt;
    Place place = randomPlace(w, all[*j].type);
    if (place.size(all[*j].type) > kSharedElements)
        place.stride = place.columnMajor ? all[*j].type.rows : all[*j].type.columns;
    place.step = kSharedElements;
    const std::string array = "shared" + to.suffix(), barrier = to.barrier();
    std::string text =
        barrier + std::format("coopMatStore({});\n", place.arguments(all[*j], array)) + barrier;
    if (transposes) place.columnMajor = !place.columnMajor;
    text += std::format("coopMatLoad({});\n", place.arguments(all[i], array)) + barrier;
    return Statement{text, [=, j = *j](Machine& m) {
                         const Values from = m.variables[j];
                         eachElement(to, [&](uint32_t row, uint32_t column) {
                             m.variables[i].at(row, column) =
                                 transposes ? from.at(column, row) : from.at(row, column);
                         });
                         return true;
                     }};
}

constexpr StatementMaker kMakers[] = {load, tensorLoad, tensorLoad, tensorStore, throughShared};

}  // namespace

std::span<const StatementMaker> memoryStatements() { return kMakers; }

Statement loadOf(ProgramWriter& w, const Variable& variable, size_t index) {
    const MatrixType type = variable.type;
    Place place = randomPlace(w, type);
    place.first = static_cast<uint32_t>(w.pick(20));
    place.step = 37;
    w.reads(type.isFactor, place.first + kSubgroups * place.step + place.size(type));
    Values values[kSubgroups] = {type, type};
    for (uint32_t subgroup = 0; subgroup < kSubgroups; ++subgroup)
        eachElement(type, [&](uint32_t row, uint32_t column) {
            values[subgroup].at(row, column) =
                w.input(type.isFactor, place.at(type, subgroup, row, column));
        });
    return Statement{
        std::format("coopMatLoad({});\n", place.arguments(variable, "input" + type.suffix())),
        [index, one = values[0], other = values[1]](Machine& m) {
            m.variables[index] = m.subgroup == 0 ? one : other;
            return true;
        }};
}

Statement storeOf(ProgramWriter& w, const Variable& variable, size_t index) {
    const MatrixType type = variable.type;
    Place place = randomPlace(w, type);
    place.step = place.size(type);
    place.first = w.output(type.isFactor, place.step * kSubgroups);
    return Statement{
        std::format("coopMatStore({});\n", place.arguments(variable, "output" + type.suffix())),
        [=](Machine& m) {
            eachElement(type, [&](uint32_t row, uint32_t column) {
                m.written[{type.isFactor ? 2u : 3u, place.at(type, m.subgroup, row, column)}] =
                    m.variables[index].at(row, column);
            });
            return true;
        }};
}

}  // namespace coopvk::test
