// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "blockio/block_plan.hpp"
#include "blockio/lower.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

namespace {

// Accesses to at most this many elements of an invocation need no loop.
constexpr uint64_t kUnrolled = 128;

class BlockAccessor {
 public:
    BlockAccessor(LoweringContext& context, FunctionWriter& writer, const Instruction& at,
                  const BlockOperands& operands, BlockRegion& region, Memory& memory)
        : context_(context),
          writer_(writer),
          at_(at),
          ops_(operands),
          region_(region),
          memory_(memory) {}

    void run() {
        if (!chooseUnit() || !checkSizes()) return;
        positions_.emplace(context_, writer_, ops_, plan_);
        takeFirstThatFits(paths());
    }

 private:
    // One version of the code.
    struct Path {
        uint32_t bytes;  // of an access
        bool inside;     // only for blocks inside the region: without checks
    };

    // From the fastest to the one for all cases.
    std::vector<Path> paths() const {
        const std::vector<uint32_t> list = widths();
        std::vector<Path> result;
        for (uint32_t bytes : list) {
            if (bytes != list.back() || list.size() == 1) result.push_back({bytes, true});
        }
        result.push_back({list.back(), false});
        return result;
    }

    std::vector<uint32_t> widths() const {
        if (region_.onlyWidth()) return {*region_.onlyWidth()};
        const uint32_t widest = plan_.longestRun(shape_) * shape_.elementSize;
        std::vector<uint32_t> list = {widest};
        if (widest > 4 && shape_.elementSize < 4) list.push_back(4);
        if (widest > shape_.elementSize) list.push_back(shape_.elementSize);
        if (shape_.elementSize == 1 && !canAccessElements(context_.target.device, 2)) {
            std::erase(list, 2u);
        }
        return list;
    }

    // A unit is an integer of at most 32 bits: an element, or a part of one.
    bool chooseUnit() {
        const DeviceFeatures& device = context_.target.device;
        const uint32_t only = region_.onlyWidth().value_or(shape_.elementSize);
        if (only > shape_.elementSize) {
            return fail(
                "a base pointer without a known variable must point to scalars of at most "
                "Element Size");
        }
        unitBytes_ = std::min(only, 4u);
        unit_ = types_.intType(unitBytes_ * 8, false);
        if (!canAccessElements(device, unitBytes_)) {
            return fail(
                std::format("{}-byte elements need shaderInt{} and "
                            "storageBuffer{}BitAccess",
                            unitBytes_, unitBytes_ * 8, unitBytes_ * 8));
        }
        types_.declareArithmetic(unit_);
        return true;
    }

    bool checkSizes() {
        const uint64_t elements = plan_.elementsPerLane(shape_);
        const uint64_t bytes = elements * shape_.elementSize;
        if (elements > kMaxBlockElements) {
            return fail(std::format("{} elements in each invocation; the limit is {}", elements,
                                    kMaxBlockElements));
        }
        const std::optional<uint64_t> available = memory_.elements().count();
        if (available && *available * scalarBytes_ < bytes) {
            return fail(
                std::format("the private pointer leads to {} bytes, each invocation's "
                            "elements take {}",
                            *available * scalarBytes_, bytes));
        }
        return true;
    }

    bool fail(std::string_view what) { return context_.fail(ErrorCode::kUnsupported, at_, what); }

    // A boolean: whether every row of the blocks starts and ends at a multiple of `bytes`.
    Id isMultipleOf(uint32_t bytes) {
        const auto u32 = [&](Id value) { return U32(emit_, value); };
        U32 all = u32(emit_.times(ops_.x, shape_.elementSize)) | u32(ops_.width);
        all = all | u32(emit_.toU32(ops_.pitch));
        if (region_.misalignment()) all = all | u32(*region_.misalignment());
        return emit_.compare(OpIEqual, all & (bytes - 1), emit_.constant(0));
    }

    void takeFirstThatFits(const std::vector<Path>& list) {
        const Id inside = positions_->isInside();
        // Whether the previous path fits; it does if an earlier one does.
        Condition before = Condition::never();
        for (const Path& path : list) {
            Condition fits = path.inside ? Condition(inside) : Condition::always();
            if (path.bytes > shape_.elementSize) {
                fits = emit_.both(fits, Condition(isMultipleOf(path.bytes)));
            }
            Condition condition = fits;
            if (const std::optional<Id> fitted = before.id()) {
                const Condition none = emit_.op(OpLogicalNot, types_.boolType(), {*fitted});
                condition = emit_.both(fits, none);
            }
            writer_.when(condition, [&] { accessAll(path); });
            before = fits;
        }
    }

    void accessAll(const Path& path) {
        accessBytes_ = path.bytes;
        positions_->assumeInside(path.inside);
        const uint32_t steps = shape_.count * plan_.steps;
        if (uint64_t{steps} * plan_.pattern.size() <= kUnrolled) {
            accessSteps(emit_.constant(0), steps);
            return;
        }
        // An iteration handles as many steps as fill whole private scalars.
        const uint32_t together = std::lcm(stepBytes_, scalarBytes_) / stepBytes_;
        const uint32_t count = steps / together;
        if (count > 0) {
            writer_.loop(count, [&](Id i) { accessSteps(emit_.times(i, together), together); });
        }
        if (const uint32_t rest = steps % together; rest != 0) {
            accessSteps(emit_.constant(count * together), rest);
        }
    }

    // `count` steps from `first` on, counted over all blocks.
    void accessSteps(Id first, uint32_t count) {
        const Id start = emit_.over(emit_.times(first, stepBytes_), scalarBytes_);
        std::vector<Slot> units;
        const bool store = ops_.operation == BlockOperation::kStore;
        if (store) units = read(start, count * stepBytes_);
        for (uint32_t s = 0; s < count; ++s) {
            const BlockStep step = positions_->stepAt(emit_.plus(first, s));
            const size_t stepUnits = stepBytes_ / unitBytes_;
            if (store) {
                storeStep(step, std::span(units).subspan(s * stepUnits, stepUnits));
            } else {
                loadStep(step, units);
            }
        }
        if (!store) write(start, units);
    }

    std::vector<Slot> load(Id start, uint32_t count) {
        return memory_.loadScalars(emit_, memory_.elements().origin(), {0, start}, count);
    }

    // Bytes from scalar `start` (u32) on, as units.
    std::vector<Slot> read(Id start, uint32_t bytes) {
        return regroupFilled(emit_, load(start, divideUp(bytes, scalarBytes_)), scalar_, unit_);
    }

    // The other bytes of the last scalar keep their values.
    void write(Id start, std::vector<Slot> units) {
        const size_t bytes = units.size() * unitBytes_;
        if (const size_t beyond = bytes % scalarBytes_; beyond != 0) {
            const Id last = emit_.plus(start, static_cast<uint32_t>(bytes / scalarBytes_));
            const std::vector<Slot> rest = regroup(emit_, load(last, 1), scalar_, unit_);
            const auto kept = static_cast<std::ptrdiff_t>(beyond / unitBytes_);
            units.insert(units.end(), rest.begin() + kept, rest.end());
        }
        memory_.storeScalars(emit_, memory_.elements().origin(), {0, start},
                             regroup(emit_, units, unit_, scalar_));
    }

    // Calls visit(row in the step, first byte of the access, index of the unit in it) for each unit
    // of a step, in the order of private memory.
    template <typename Visit>
    void forEachUnit(Visit visit) {
        for (const BlockElement& element : plan_.pattern) {
            for (uint32_t b = 0; b < shape_.elementSize; b += unitBytes_) {
                const uint32_t byte = element.column * shape_.elementSize + b;
                const uint32_t start = byte / accessBytes_ * accessBytes_;
                visit(element.row, start, (byte - start) / unitBytes_);
            }
        }
    }

    void loadStep(const BlockStep& step, std::vector<Slot>& units) {
        std::map<std::pair<uint32_t, uint32_t>, std::vector<Slot>> loaded;
        forEachUnit([&](uint32_t row, uint32_t start, uint32_t unit) {
            const auto [entry, isNew] = loaded.try_emplace({row, start});
            if (isNew) entry->second = load(positions_->at(step, row, start));
            units.push_back(entry->second[unit]);
        });
    }

    std::vector<Slot> load(const RegionPosition& access) {
        const auto orZero = [&](Id value) {
            if (access.valid.isAlways()) return value;
            return emit_.select(emit_.boolean(access.valid), value, emit_.constant(0));
        };
        const Id type = region_.type(accessBytes_);
        const Id value =
            region_.load(emit_, accessBytes_, orZero(access.row), orZero(access.column));
        const Id result = access.valid.isAlways() ? value
                                                  : emit_.select(emit_.boolean(access.valid), value,
                                                                 types_.constantNull(type));
        return regroup(emit_, slotsOf(emit_, {&result, 1}), types_.scalarOf(type), unit_);
    }

    void storeStep(const BlockStep& step, std::span<const Slot> units) {
        std::map<std::pair<uint32_t, uint32_t>, std::vector<Slot>> accesses;
        size_t next = 0;
        forEachUnit([&](uint32_t row, uint32_t start, uint32_t unit) {
            std::vector<Slot>& access = accesses[{row, start}];
            access.resize(accessBytes_ / unitBytes_);
            access[unit] = units[next++];
        });
        const Id type = region_.type(accessBytes_);
        const Id scalar = types_.scalarOf(type);
        for (const auto& [start, parts] : accesses) {
            const RegionPosition access = positions_->at(step, start.first, start.second);
            const std::vector<Slot> slots = regroup(emit_, parts, unit_, scalar);
            const Id value = gather(emit_, scalar, slots);
            writer_.when(access.valid, [&] {
                region_.store(emit_, accessBytes_, access.row, access.column, value);
            });
        }
    }

    LoweringContext& context_;
    FunctionWriter& writer_;
    const Instruction& at_;
    const BlockOperands& ops_;
    BlockRegion& region_;
    Memory& memory_;
    const Id scalar_ = memory_.elements().scalar();
    const uint32_t scalarBytes_ = memory_.elements().scalarBytes();
    const BlockShape& shape_ = ops_.shape;
    TypeTable& types_ = context_.types;
    Emitter& emit_ = writer_.emit();
    const BlockPlan plan_ = planBlock(ops_.operation, shape_, context_.target.subgroupSize);
    const uint32_t stepBytes_ = static_cast<uint32_t>(plan_.pattern.size()) * shape_.elementSize;
    Id unit_ = 0;
    uint32_t unitBytes_ = 0;
    uint32_t accessBytes_ = 0;
    std::optional<BlockPositions> positions_;
};

}  // namespace

void accessBlock(LoweringContext& context, FunctionWriter& writer, const Instruction& at,
                 const BlockOperands& operands, BlockRegion& region, Memory& memory) {
    BlockAccessor(context, writer, at, operands, region, memory).run();
}

}  // namespace coopvk::rewrite
