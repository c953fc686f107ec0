// SPDX-License-Identifier: Apache-2.0
//
// Long vectors in variables of functions, of invocations and of workgroups.
#include "long_vectors.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

// Bytes of shared memory that one variable may take.
constexpr uint32_t kMostShared = 8192;

struct Variable {
    std::string id;
    const char* storage;
};

Variable variable(LongWriter& w, const std::string& type) {
    if (w.chance(2)) return {w.local(type), "Function"};
    return {w.text.variable(w.text.global("OpTypePointer Private " + type), "Private"), "Private"};
}

// A component of a vector in a variable is replaced, and one is read.
bool inVariable(LongWriter& w) {
    const LongType of = w.anyTypeOrBool(), scalar{of.component, 0};
    const LongValue x = w.take(of), y = w.takeScalar(of.component);
    const Variable v = variable(w, w.type(of));
    w.text.line(std::format("OpStore {} {}", v.id, x.id));
    if (w.chance(2)) {
        ++w.depth;
        const size_t count = w.live.size();
        w.statements(1);
        w.live.resize(std::min(count, w.live.size()));
        --w.depth;
    }
    const std::string one = w.part(v.id, v.storage, w.type(scalar), w.index(of.count));
    w.text.line(std::format("OpStore {} {}", one, y.id));
    const double bound = std::max(x.bound, y.bound);
    if (w.chance(2)) {
        const std::string read = w.part(v.id, v.storage, w.type(scalar), w.index(of.count));
        w.add(w.op("OpLoad", w.type(scalar), {read}), scalar, bound);
    }
    w.add(w.op("OpLoad", w.type(of), {v.id}), of, bound);
    if (w.chance(2)) return true;
    // What was loaded stays when the variable changes.
    w.text.line(std::format("OpStore {} {}", v.id, w.take(of).id));
    return true;
}

// struct { uint; first; second[2]; } in a variable: parts at indices that differ.
bool inStructure(LongWriter& w) {
    const LongType of = w.anyTypeOrBool();
    const LongValue a = w.take(w.anyTypeOrBool()), b = w.take(of), c = w.take(of);
    const std::string u32 = w.text.type(kU32), second = w.type(of);
    const std::string array =
        w.text.global(std::format("OpTypeArray {} {}", second, w.text.size(2)));
    const std::string structure =
        w.text.global(std::format("OpTypeStruct {} {} {}", u32, w.type(a.type), array));
    const Variable v = variable(w, structure);
    const auto part = [&](const std::string& type, const std::string& indices) {
        return w.part(v.id, v.storage, type, indices);
    };
    if (w.chance(2)) {
        const std::string both = w.op("OpCompositeConstruct", array, {b.id, c.id});
        const std::string whole =
            w.op("OpCompositeConstruct", structure, {w.invocation(), a.id, both});
        w.text.line(std::format("OpStore {} {}", v.id, whole));
    } else {
        const std::string one = w.text.u32(1), two = w.text.u32(2), zero = w.text.u32(0);
        w.text.line(std::format("OpStore {} {}", part(w.type(a.type), one), a.id));
        w.text.line(std::format("OpStore {} {}", part(second, two + " " + zero), b.id));
        w.text.line(std::format("OpCopyMemory {} {}", part(second, two + " " + one),
                                part(second, two + " " + zero)));
    }
    const std::string two = w.text.u32(2);
    w.text.line(std::format("OpStore {} {}", part(second, two + " " + w.index(2)), c.id));
    const double bound = std::max(b.bound, c.bound);
    if (w.chance(2)) {
        const LongType scalar{of.component, 0};
        const std::string place =
            part(w.type(scalar), two + " " + w.index(2) + " " + w.index(of.count));
        w.add(w.op("OpLoad", w.type(scalar), {place}), scalar, bound);
    }
    w.add(w.op("OpLoad", w.type(a.type), {part(w.type(a.type), w.text.u32(1))}), a);
    return w.add(w.op("OpLoad", second, {part(second, two + " " + w.index(2))}), of, bound);
}

void barrier(LongWriter& w) {
    // AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible
    w.text.line(std::format("OpControlBarrier {0} {0} {1}", w.text.u32(2), w.text.u32(0x6108)));
}

// Each invocation writes a vector of shared memory, and reads that of another one.
bool inSharedMemory(LongWriter& w) {
    if (w.depth != 0 || w.isInFunction) return false;
    const LongType of = w.anyTypeOrBool();
    const uint32_t all = w.lanes * w.subgroups;
    const uint32_t bytes = std::max(info(of.component).bytes, 4u);
    if (all * of.count * bytes > kMostShared) return false;
    const LongValue x = w.take(of);
    const std::string array =
        w.text.global(std::format("OpTypeArray {} {}", w.type(of), w.text.u32(all)));
    const std::string shared =
        w.text.variable(w.text.global("OpTypePointer Workgroup " + array), "Workgroup");
    const std::string own = w.part(shared, "Workgroup", w.type(of), w.invocation());
    w.text.line(std::format("OpStore {} {} NonPrivatePointer", own, x.id));
    barrier(w);
    const std::string other = w.remainder(w.add(w.invocation(), w.number(w.pick(7))), all);
    const std::string place = w.part(shared, "Workgroup", w.type(of), other);
    return w.add(w.op("OpLoad", w.type(of), {place, "NonPrivatePointer"}), x);
}

// All invocations add to components of one vector of shared memory.
bool atomics(LongWriter& w) {
    if (w.depth != 0 || w.isInFunction) return false;
    const LongType of{w.chance(2) ? kU32 : kS32, w.anyCount()};
    if (of.count > 64) return false;
    const LongType scalar{of.component, 0};
    const LongValue x = w.takeScalar(of.component);
    const std::string pointer = w.text.global("OpTypePointer Workgroup " + w.type(of));
    const std::string shared = w.text.variable(pointer, "Workgroup");
    const std::string zero = w.op("OpIEqual", w.boolean(), {w.invocation(), w.text.u32(0)});
    const std::string yes = w.text.fresh(), merge = w.text.fresh();
    w.text.line(std::format("OpSelectionMerge {} None", merge));
    w.text.line(std::format("OpBranchConditional {} {} {}", zero, yes, merge));
    w.text.label(yes);
    w.text.line(std::format("OpStore {} {} NonPrivatePointer", shared, w.splat(of, 1)));
    w.text.line("OpBranch " + merge);
    w.text.label(merge);
    barrier(w);
    const std::string place = w.part(shared, "Workgroup", w.type(scalar), w.index(of.count));
    w.op("OpAtomicIAdd", w.type(scalar), {place, w.text.u32(2), w.text.u32(0), x.id});
    barrier(w);
    return w.add(w.op("OpLoad", w.type(of), {shared, "NonPrivatePointer"}), of, HUGE_VAL);
}

constexpr LongStatement kLongMemory[] = {inVariable, inVariable, inStructure, inSharedMemory,
                                         atomics};

}  // namespace

std::span<const LongStatement> longMemory() { return kLongMemory; }

}  // namespace coopvk::programs
