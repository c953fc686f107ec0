// SPDX-License-Identifier: Apache-2.0
//
// What atomic operations release and acquire (Vulkan, appendix "Memory Model", "Release Sequence").
#include "checks/races.hpp"

namespace coopvk::reference {

Heads& Races::headsAt(const MemoryAccess& access) {
    const auto address = reinterpret_cast<uint64_t>(access.data);
    return access.kind == kShared ? sharedHeads_[address] : pageAt(address).heads[address];
}

// What an atomic read gets from the release sequences that contain its value.
void Races::acquireHeads(const Heads& heads, const Place& at, MemoryKind of,
                         const Semantics& semantics) {
    const bool visible = vulkan_ && semantics.acquires && semantics.visible;
    if (heads.empty() && !visible) return;
    State& own = state(at);
    for (const Head& head : heads) {
        const Reach far = distance(head.from, at);
        const bool mutual = head.reach >= far && semantics.reach >= far;
        if (far == Reach::kInvocation || !mutual || isForAll_) continue;
        for (const auto& [kind, reach, release] : head.parts) {
            if (reach < far) continue;
            if (semantics.acquires && semantics.kinds[kind])
                release->teach(own.known[kind], at);
            else
                release->teach(own.pending[{of, far, kind}], at);
        }
    }
    for (const MemoryKind kind : kEachKind)
        if (visible && semantics.kinds[kind]) makeVisible(kind, at, own, semantics.reach);
}

// What an atomic write releases: by itself, and by barriers before it whose semantics name its
// memory.
std::vector<Part> Races::partsOf(const Place& at, MemoryKind of, const Semantics& semantics) {
    std::vector<Part> parts;
    if (semantics.releases) {
        State& own = state(at);
        ++clock_;
        for (const MemoryKind kind : kEachKind) {
            if (!semantics.kinds[kind]) continue;
            if (vulkan_ && semantics.available) makeAvailable(kind, at, own, semantics.reach);
            parts.push_back({kind, semantics.reach, snapshot(kind, at, own)});
        }
    }
    const auto add = [&](const Fences& fences) {
        for (const Fence& fence : fences) {
            if (!fence.semantics.kinds[of]) continue;
            for (const MemoryKind kind : kEachKind) {
                const bool known = std::ranges::any_of(parts, [&](const Part& part) {
                    return part.kind == kind && part.reach >= fence.semantics.reach &&
                           part.release->from == at;
                });
                if (fence.released[kind] != nullptr && !known)
                    parts.push_back({kind, fence.semantics.reach, fence.released[kind]});
            }
        }
    };
    add(common_.fences);
    add(subgroups_[at.subgroup].fences);
    if (states_[at.invocation]) add(states_[at.invocation]->fences);
    return parts;
}

// "The longest continuous subsequence of [the] modification order that consists of [the head and]
// atomic read-modify-write operations": a store ends all sequences, and heads another.
void Races::extendHeads(Heads& heads, const Place& at, MemoryKind of,
                        const AtomicOperation& operation) {
    const Semantics& semantics = operation.semantics;
    Head own{at, semantics.reach, partsOf(at, of, semantics)};
    // Barriers before it released neither what it acquires nor what the invocation did since.
    const auto passes = [&](const Part& part, bool isOwn) {
        if (!isOwn)
            return semantics.acquires && semantics.releases && semantics.kinds[part.kind] &&
                   semantics.reach >= part.reach;
        return std::ranges::any_of(own.parts, [&](const Part& by) {
            const bool isLater =
                by.release->from == at && by.release->self.happened >= part.release->self.happened;
            return by.kind == part.kind && by.reach >= part.reach &&
                   (by.release == part.release || isLater);
        });
    };
    std::erase_if(heads, [&](const Head& head) {
        const Reach far = distance(head.from, at);
        if (!operation.reads || head.reach < far || semantics.reach < far) return true;
        if (head.reach > semantics.reach) return false;
        // It adds nothing to what this one releases.
        return std::ranges::all_of(head.parts, [&](const Part& part) {
            return part.reach >= far && passes(part, far == Reach::kInvocation);
        });
    });
    if (!own.parts.empty()) heads.push_back(std::move(own));
}

}  // namespace coopvk::reference
