// SPDX-License-Identifier: Apache-2.0
#include "symbols/forks.hpp"

#include "execution/opcode_table.hpp"
#include "execution/tangles.hpp"

namespace coopvk::reference::symbols {
namespace {

// Besides those that compute each component alone.
constexpr spv::Op kAllowed[] = {
    OpLoad,
    OpVariable,
    OpAccessChain,
    OpInBoundsAccessChain,
    OpCompositeConstruct,
    OpCompositeExtract,
    OpCompositeInsert,
    OpVectorShuffle,
    OpVectorExtractDynamic,
    OpVectorInsertDynamic,
    OpCopyObject,
    OpCopyLogical,
    OpBitcast,
    OpSelect,
    OpDot,
    OpAll,
    OpAny,
    OpBranch,
    OpBranchConditional,
    OpSwitch,
    OpReturn,
    OpReturnValue,
    OpFunctionCall,
};

// Blocks at which the ways of a branch may meet, the nearest first.
std::vector<uint32_t> meetingsOf(const Subgroup& s) {
    const Frame& frame = s.frames.back();
    std::vector<uint32_t> blocks;
    // Also a way out of an outer selection.
    for (uint32_t header = 0; header <= frame.block; ++header)
        if (const uint32_t merge = frame.function->blocks[header].merge;
            merge != kNone && merge > frame.block)
            blocks.push_back(merge);
    for (const Loop& loop : frame.function->loops)
        if (loop.first <= frame.block && frame.block < loop.end) blocks.push_back(loop.end);
    std::ranges::sort(blocks);
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    if (s.frames.size() > 1) blocks.push_back(kNone);
    return blocks;
}

}  // namespace

bool Forks::isAllowed(const Subgroup& s) {
    const Instruction& at = *s.at;
    if (at.opcode == OpStore) return holdsComponents(s.operand(0).type->storage);
    return at.row->defined == Defined::kComponentwise ||
           std::ranges::find(kAllowed, at.opcode) != std::end(kAllowed);
}

Forks::State Forks::saved(const Subgroup& s) {
    return {s.storage,
            s.privateData,
            s.storageDefined,
            s.privateDefined,
            s.storageDeviations,
            s.privateDeviations,
            s.iterations,
            s.frames,
            s.mask};
}

// Values point into these: they stay where they are.
void Forks::restore(Subgroup& s, const State& state) {
    std::ranges::copy(state.storage, s.storage.begin());
    std::ranges::copy(state.privateData, s.privateData.begin());
    std::ranges::copy(state.storageDefined, s.storageDefined.begin());
    std::ranges::copy(state.privateDefined, s.privateDefined.begin());
    std::ranges::copy(state.storageDeviations, s.storageDeviations.begin());
    std::ranges::copy(state.privateDeviations, s.privateDeviations.begin());
    s.iterations = state.iterations;
    s.frames = state.frames;
    s.mask = state.mask;
}

Path Forks::pathOf(uint32_t lane) const {
    Path path;
    for (const auto& [ways, isFirst] : taken_)
        if (ways->conditions[lane] != 0) path.emplace(ways->conditions[lane], isFirst);
    return path;
}

// Whether all lanes arrive.
bool Forks::go(Subgroup& s, const Ways& ways, bool isFirst) {
    const LaneMask lanes = ways.both | (isFirst ? ways.first : ways.second);
    const size_t depth = s.frames.size();
    Frame& frame = s.frames.back();
    frame.waiting.clear();
    frame.returned = {};
    s.mask = lanes;
    const Edge& edge = frame.function->blocks[frame.block].edges[isFirst ? 0 : 1];
    pass(s, edge, lanes);
    frame.block = edge.block;
    frame.position = 0;
    taken_.emplace_back(&ways, isFirst);
    const Step step = runTo(s, depth, ways.meeting);
    taken_.pop_back();
    if (step != Step::kBranched || !all_.obstacle.empty() || s.mask != lanes || !s.holes.empty() ||
        !s.strays.empty())
        return false;
    if (ways.meeting == kNone) return s.frames.size() == depth - 1;
    return s.frames.size() == depth && s.frames.back().block == ways.meeting &&
           s.frames.back().position == 0 && s.frames.back().waiting.empty() &&
           s.frames.back().returned.none();
}

// `first`: what the first way has left; the subgroup has what the second one has left.
void Forks::mergeComponent(Subgroup& s, const Ways& ways, const State& first, uint64_t component,
                           uint32_t width, bool isPrivate) {
    uint64_t* const bits =
        (isPrivate ? s.privateData.data() : s.storage.data()) + component * s.lanes;
    Deviation* const terms =
        (isPrivate ? s.privateDeviations.data() : s.storageDeviations.data()) + component * s.lanes;
    const uint64_t* const otherBits =
        (isPrivate ? first.privateData.data() : first.storage.data()) + component * s.lanes;
    const Deviation* const otherTerms =
        (isPrivate ? first.privateDeviations.data() : first.storageDeviations.data()) +
        component * s.lanes;
    LaneMask& defined = (isPrivate ? s.privateDefined : s.storageDefined)[component];
    const LaneMask otherDefined =
        (isPrivate ? first.privateDefined : first.storageDefined)[component];
    defined = (defined & ~ways.first & ~ways.both) | (otherDefined & ways.first) |
              (defined & otherDefined & ways.both);
    ways.first.forEach([&](uint32_t lane) {
        bits[lane] = otherBits[lane];
        terms[lane] = otherTerms[lane];
    });
    Terms& all = all_.terms;
    ways.both.forEach([&](uint32_t lane) {
        if (bits[lane] == otherBits[lane] && terms[lane] == otherTerms[lane]) return;
        const auto termOf = [&](Deviation term, uint64_t value) {
            return term != 0 ? term : all.constant(value, width);
        };
        const TermId then = termOf(otherTerms[lane], otherBits[lane]);
        const TermId other = termOf(terms[lane], bits[lane]);
        const TermId condition = ways.conditions[lane];
        if (all[condition].bits != 0) bits[lane] = otherBits[lane];
        if (width == 0 || all[then].width != all[other].width) {
            defined.clear(lane);  // no id has it behind the meeting
            terms[lane] = 0;
            return;
        }
        const TermId chosen = all.chosen(condition, then, other);
        terms[lane] = all.constantOf(chosen) ? 0 : chosen;
    });
}

void Forks::merge(Subgroup& s, const Ways& ways, const State& first) {
    const Program& program = *s.program;
    for (const Slot& slot : program.slots) {
        if (slot.constant || slot.type == nullptr) continue;
        for (uint32_t c = 0; c < slot.type->components; ++c)
            mergeComponent(s, ways, first, slot.storage + c, widthOf(scalarOf(*slot.type, c)),
                           false);
    }
    for (const Variable& variable : program.variables) {
        if (variable.type == nullptr || !holdsComponents(variable.storage)) continue;
        for (uint32_t c = 0; c < variable.type->components; ++c)
            mergeComponent(s, ways, first, variable.offset + c,
                           widthOf(scalarOf(*variable.type, c)), true);
    }
}

std::optional<Step> Forks::forkTo(Subgroup& s, uint32_t meeting) {
    Ways ways{.before = saved(s), .conditions = std::vector<TermId>(s.lanes), .meeting = meeting};
    const Value& condition = s.operand(0);
    s.mask.forEach([&](uint32_t lane) {
        ways.conditions[lane] = condition.deviationAt(0, lane);
        LaneMask& way = ways.conditions[lane] != 0   ? ways.both
                        : condition.at(0, lane) != 0 ? ways.first
                                                     : ways.second;
        way.set(lane);
    });
    if (!go(s, ways, true)) {
        restore(s, ways.before);
        return std::nullopt;
    }
    const State first = saved(s);
    restore(s, ways.before);
    if (!go(s, ways, false)) {
        restore(s, ways.before);
        return std::nullopt;
    }
    merge(s, ways, first);
    s.frames = ways.before.frames;
    const LaneMask all = ways.before.mask;
    return meeting == kNone ? leaveFunction(s, all) : arriveAt(s, meeting, all);
}

std::optional<Step> Forks::fork(Subgroup& s) {
    const bool isDefined = (s.mask & ~s.operand(0).defined[0]).none();
    if (s.tangles != nullptr || !s.holes.empty() || !s.strays.empty() || !isDefined ||
        taken_.size() >= kMostDepth)
        return std::nullopt;
    const Instruction* at = s.at;
    for (const uint32_t meeting : meetingsOf(s)) {
        if (++count_ > kMostForks || !all_.obstacle.empty()) return std::nullopt;
        s.at = at;
        if (const auto step = forkTo(s, meeting)) return step;
    }
    s.at = at;
    return std::nullopt;
}

}  // namespace coopvk::reference::symbols
