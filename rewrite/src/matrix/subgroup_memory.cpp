// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/entry_point.hpp"
#include "lowering/context.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kMaxParts = 8;

// How a matrix lies in the area: its lines, one after the other. A line goes in the direction in
// which a lane reads the result: of A along a row, of B along a column. There a lane holds whole
// lines, so the matrix may go through the area in parts: first the first half of all lines, then
// the second.
struct MovedLines {
    Dimension along;     // of the result
    Dimension inSource;  // the same dimension of what is moved
    uint32_t count, length;
    uint32_t maxParts;

    uint32_t partLength(uint32_t parts) const { return divideUp(length, parts); }
    // Odd, so that lanes access different banks of shared memory.
    uint32_t stride(uint32_t parts) const { return partLength(parts) | 1u; }
    uint32_t elements(uint32_t parts) const { return count * stride(parts); }
};

MovedLines linesOf(const SubgroupMove& move) {
    const Fragment& to = move.to.fragment;
    const Dimension along = to.rows.lanes == 1 ? Dimension::kRows : Dimension::kColumns;
    return {along, move.transposes ? other(along) : along, to.axis(other(along)).size,
            to.axis(along).size, to.axis(along).lanes == 1 ? kMaxParts : 1};
}

// In how many parts the matrix goes through an area; 0 if it cannot.
uint32_t partsOf(const MovedLines& lines, const SubgroupArea& area) {
    for (uint32_t parts = 1; parts <= lines.maxParts; ++parts)
        if (lines.elements(parts) <= area.elements) return parts;
    return 0;
}

// Behind the elements there is a slot for each lane, to which it stores what is of another part: so
// all lanes store, without branches.
uint32_t slotCount(const MatrixContext& context, uint32_t elements) {
    return elements + context.target.subgroupSize;
}

// For whole lines, or as large parts of them as there is room for; nullopt: there is none.
std::optional<SubgroupArea> makeArea(MatrixContext& context, const MovedLines& lines,
                                     Id component) {
    const uint64_t subgroups = subgroupsOf(context.module, context.target.subgroupSize);
    for (uint32_t parts = 1; parts <= lines.maxParts && subgroups != 0; ++parts) {
        const uint32_t elements = lines.elements(parts);
        const uint64_t count = subgroups * slotCount(context, elements);
        const uint64_t bytes = count * context.types.width(component) / 8;
        if (!sharedMemoryHasRoom(context.module, bytes + workgroupMemoryBytes(context),
                                 context.target.device)) {
            continue;
        }
        const Id array = context.types.arrayType(component, static_cast<uint32_t>(count));
        return SubgroupArea{
            globalVariable(context.types, spv::StorageClass::Workgroup, array, "coopvk_elements"),
            elements};
    }
    return std::nullopt;
}

// The subgroup's area. Barriers follow all accesses.
class SubgroupMemory : private MatrixCode {
 public:
    SubgroupMemory(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move)
        : MatrixCode(context, writer),
          m_(move),
          lines_(linesOf(move)),
          component_(move.to.component),
          area_(context.subgroupAreas.at(component_)),
          parts_(partsOf(lines_, area_)),
          access_(nonPrivateAccess(context.module)) {
        first_ = emit_.times(readSubgroup(emit_), slotCount(context, area_.elements));
    }

    void run(Id value, Id result) {
        HeldElements from(m_.from, emit_, value);
        HeldElements to(m_.to);
        for (uint32_t part = 0; part < parts_; ++part) {
            const uint32_t length = lines_.partLength(parts_);
            const uint32_t begin = part * length;
            writer_.when(writer_.isNoDuplicate(m_.from), [&] { store(from, begin, length); });
            barrier();
            load(to, begin, length);
            barrier();
        }
        to.construct(m_.to, emit_, result);
    }

 private:
    // What the lane has of elements `begin` to `begin + length - 1` of each line.
    void store(HeldElements& from, uint32_t begin, uint32_t length) {
        const Axis& along = m_.from.fragment.axis(lines_.inSource);
        const Id inLine = emit_.times(writer_.laneOn(m_.from, lines_.inSource), along.block);
        const Id start = startOfLines(m_.from, other(lines_.inSource));
        from.each([&](uint32_t row, uint32_t column, const Slot& slot) {
            const auto [local, line] = split(lines_.inSource, row, column);
            const uint32_t least = along.base(local);
            const uint32_t most = along.index(along.lanes - 1, local);
            if (most < begin || least >= begin + length) return;
            const Id offset = emit_.plus(inLine, least - begin);  // wraps below `begin`
            Id place =
                emit_.addU32(startOfLine(start, m_.from, other(lines_.inSource), line), offset);
            if (least < begin || most >= begin + length) place = inPart(offset, length, place);
            emit_.store(pointer(place), scalarOf(emit_, component_, slot), access_);
        });
    }

    void load(HeldElements& to, uint32_t begin, uint32_t length) {
        const Axis& along = m_.to.fragment.axis(lines_.along);
        const Id inLine = emit_.times(writer_.laneOn(m_.to, lines_.along), along.block);
        const Id start = emit_.addU32(startOfLines(m_.to, other(lines_.along)), inLine);
        to.each([&](uint32_t row, uint32_t column, Slot& slot) {
            const auto [local, line] = split(lines_.along, row, column);
            const uint32_t index = along.base(local) - begin;
            if (parts_ > 1 && index >= length) return;
            const Id place =
                emit_.plus(startOfLine(start, m_.to, other(lines_.along), line), index);
            slot = {emit_.load(component_, pointer(place), access_), 0};
        });
    }

    // Local indices along a line, and across lines.
    static std::pair<uint32_t, uint32_t> split(Dimension along, uint32_t row, uint32_t column) {
        return along == Dimension::kRows ? std::pair(row, column) : std::pair(column, row);
    }
    // Where the lane's lines start (u32): the first one, and a further one.
    Id startOfLines(const MatrixType& matrix, Dimension across) {
        return emit_.times(writer_.laneOn(matrix, across),
                           matrix.fragment.axis(across).block * lines_.stride(parts_));
    }
    Id startOfLine(Id first, const MatrixType& matrix, Dimension across, uint32_t line) {
        return emit_.plus(first, matrix.fragment.axis(across).base(line) * lines_.stride(parts_));
    }

    // The place, if the element is in the part; else the lane's slot.
    Id inPart(Id offset, uint32_t length, Id place) {
        const Id rest = emit_.plus(writer_.lane(), area_.elements);
        const Id isIn = emit_.compare(OpULessThan, offset, emit_.constant(length));
        return emit_.select(isIn, place, rest);
    }
    Id pointer(Id place) {
        return emit_.chain(component_, {area_.variable, emit_.addU32(first_, place)});
    }
    void barrier() { sharedBarrier(emit_, spv::Scope::Subgroup); }

    const SubgroupMove& m_;
    const MovedLines lines_;
    const Id component_;
    const SubgroupArea area_;
    const uint32_t parts_;
    const Operands access_;
    Id first_ = 0;
};

}  // namespace

bool usesSubgroupMemory(MatrixContext& context, const SubgroupMove& move, uint64_t shuffles) {
    const DevicePlan& device = context.target.device;
    if (shuffles <= device.maxShuffles ||
        move.to.fragment.length() > device.maxMovedThroughMemory ||
        !context.module.hasCapability(spv::Capability::VulkanMemoryModel)) {
        return false;
    }
    const MovedLines lines = linesOf(move);
    const auto found = context.subgroupAreas.find(move.from.component);
    if (found != context.subgroupAreas.end()) return partsOf(lines, found->second) != 0;
    const std::optional<SubgroupArea> area = makeArea(context, lines, move.from.component);
    if (area) context.subgroupAreas.emplace(move.from.component, *area);
    return area.has_value();
}

void moveThroughMemory(MatrixContext& context, MatrixWriter& writer, const SubgroupMove& move,
                       Id value, Id result) {
    SubgroupMemory(context, writer, move).run(value, result);
}

}  // namespace coopvk::rewrite
