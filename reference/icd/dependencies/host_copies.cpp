// SPDX-License-Identifier: Apache-2.0
#include "dependencies/host_copies.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "dependencies/page_faults.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr size_t kHostPage = 4096;
size_t pagesOf(uint64_t size) { return (size + kHostPage - 1) / kHostPage; }

}  // namespace

void HostCopies::Unmap::operator()(std::byte* memory) const { munmap(memory, size); }

HostCopies::HostCopies() { addFaultHandler(this); }
HostCopies::~HostCopies() { removeFaultHandler(this); }

std::byte* HostCopies::add(const Range& memory) {
    const size_t size = pagesOf(memory.size) * kHostPage;
    const auto newPages = [&]() -> Mapped {
        constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, kFlags, -1, 0);
        return Mapped(mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped), {size});
    };
    Copy copy{memory.data, memory.size, newPages(), newPages()};
    if (copy.host == nullptr || copy.last == nullptr) return nullptr;
    copy.isProtected.resize(pagesOf(memory.size));
    std::byte* const host = copy.host.get();
    const std::lock_guard lock(mutex_);
    copies_.insert_or_assign(copy.begin(), std::move(copy));
    return host;
}

void HostCopies::map(const Range& part) {
    const std::lock_guard lock(mutex_);
    Copy* const copy = copyOf(reinterpret_cast<uintptr_t>(part.data));
    if (copy == nullptr) return;
    const uint64_t begin = part.data - copy->device;
    const bool isFirst = copy->mappedEnd == 0;
    copy->mappedBegin = isFirst ? begin : std::min(begin, copy->mappedBegin);
    copy->mappedEnd = std::max(begin + part.size, copy->mappedEnd);
    copy->isMapped = true;
}

void HostCopies::unmap(const Range& memory) {
    const std::lock_guard lock(mutex_);
    if (Copy* copy = copyOf(reinterpret_cast<uintptr_t>(memory.data))) copy->isMapped = false;
}

void HostCopies::remove(const Range& memory) {
    const auto begin = reinterpret_cast<uintptr_t>(memory.data);
    const std::lock_guard lock(mutex_);
    std::erase_if(updates_, [&](const Update& each) { return each.begin - begin < memory.size; });
    copies_.erase(begin);
}

HostCopies::Copy* HostCopies::copyOf(uintptr_t device) {
    auto found = copies_.upper_bound(device);
    if (found == copies_.begin()) return nullptr;
    Copy& copy = (--found)->second;
    return device - copy.begin() < copy.size ? &copy : nullptr;
}

void HostCopies::protect(Copy& copy, size_t page, bool isProtected) {
    if (copy.isProtected[page] == isProtected) return;
    copy.isProtected[page] = isProtected;
    mprotect(copy.host.get() + page * kHostPage, kHostPage,
             isProtected ? PROT_NONE : PROT_READ | PROT_WRITE);
}

// Pages of these bytes of the device: whether one has an unseen byte.
void HostCopies::protectUnseen(Copy& copy, uintptr_t begin, uintptr_t end) {
    const size_t last = pagesOf(end - copy.begin());
    for (size_t page = (begin - copy.begin()) / kHostPage; page < last; ++page) {
        const uintptr_t first = copy.begin() + page * kHostPage;
        auto unseen = copy.unseen.lower_bound(first + kHostPage);
        const bool has =
            unseen != copy.unseen.begin() && (--unseen)->first + unseen->second.size > first;
        protect(copy, page, has);
    }
}

// What else was unseen remains so.
void HostCopies::erase(Copy& copy, uintptr_t begin, uintptr_t end) {
    auto each = copy.unseen.upper_bound(begin);
    if (each != copy.unseen.begin()) --each;
    while (each != copy.unseen.end() && each->first < end) {
        const Written old = each->second;
        const uintptr_t behind = old.begin + old.size;
        if (behind <= begin) {
            ++each;
            continue;
        }
        each = copy.unseen.erase(each);
        Written before = old, after = old;
        before.size = begin - std::min(begin, old.begin);
        after.begin = std::min(end, behind);
        after.size = behind - after.begin;
        if (before.size != 0) copy.unseen.emplace(before.begin, before);
        if (after.size != 0) each = std::next(copy.unseen.emplace(after.begin, after).first);
    }
}

void HostCopies::addChanges(Copy& copy, uint64_t first, uint64_t end, HostWrites& changed) {
    const std::byte *const host = copy.host.get(), *const last = copy.last.get();
    for (uint64_t i = first; i < end; ++i) {
        if (host[i] == last[i]) continue;
        uint64_t behind = i;
        while (behind < end && host[behind] != last[behind]) ++behind;
        std::copy(host + i, host + behind, copy.last.get() + i);
        changed.push_back({copy.device + i, {host + i, host + behind}});
        erase(copy, copy.begin() + i, copy.begin() + behind);
        i = behind;
    }
}

// Protected pages are as they were.
HostWrites HostCopies::changes() {
    HostWrites changed;
    const std::lock_guard lock(mutex_);
    for (auto& [begin, copy] : copies_) {
        for (uint64_t first = copy.mappedBegin; first < copy.mappedEnd;) {
            const size_t page = first / kHostPage;
            const uint64_t end = std::min((page + 1) * kHostPage, copy.mappedEnd);
            const bool isSame =
                copy.isProtected[page] ||
                std::memcmp(copy.host.get() + first, copy.last.get() + first, end - first) == 0;
            if (!isSame) addChanges(copy, first, end, changed);
            first = end;
        }
        if (!copy.isMapped) copy.mappedBegin = copy.mappedEnd = 0;
    }
    return changed;
}

void HostCopies::noteWritten(std::span<const Written> all, size_t queue, Time now) {
    const std::lock_guard lock(mutex_);
    for (const Written& written : all) {
        Copy* const copy = copyOf(written.begin);
        if (copy == nullptr) continue;
        const uintptr_t end = written.begin + written.size;
        erase(*copy, written.begin, end);
        copy->unseen.emplace(written.begin, written);
        protectUnseen(*copy, written.begin, end);
        const std::byte* from = copy->device + (written.begin - copy->begin());
        if (written.isVisible)
            updates_.push_back({written.begin, {from, from + written.size}, queue, now});
    }
}

void HostCopies::deliver(const QueueTimes& until) {
    const auto isComplete = [&](const Update& update) {
        const std::span commands(until[update.queue].data(), kHostStage);
        return update.now <= *std::ranges::min_element(commands);
    };
    const std::lock_guard lock(mutex_);
    for (const Update& update : updates_) {
        Copy* const copy = copyOf(update.begin);
        if (!isComplete(update) || copy == nullptr) continue;
        const uintptr_t first = update.begin - copy->begin(), end = first + update.bytes.size();
        for (size_t page = first / kHostPage; page < pagesOf(end); ++page)
            protect(*copy, page, false);
        std::ranges::copy(update.bytes, copy->host.get() + first);
        std::ranges::copy(update.bytes, copy->last.get() + first);
        erase(*copy, update.begin, copy->begin() + end);
        protectUnseen(*copy, update.begin, copy->begin() + end);
    }
    std::erase_if(updates_, isComplete);
}

std::vector<HostRead> HostCopies::takeReads() {
    const std::lock_guard lock(mutex_);
    return std::exchange(reads_, {});
}

// What the page has counts as seen from now on: the host may have written it.
bool HostCopies::open(uintptr_t address, bool writes) {
    const std::lock_guard lock(mutex_);
    for (auto& [begin, copy] : copies_) {
        const uintptr_t offset = address - reinterpret_cast<uintptr_t>(copy.host.get());
        const size_t page = offset / kHostPage;
        if (page >= copy.isProtected.size() || !copy.isProtected[page]) continue;
        const uintptr_t at = begin + offset;
        auto unseen = copy.unseen.upper_bound(at);
        const bool has =
            unseen != copy.unseen.begin() && (--unseen)->first + unseen->second.size > at;
        if (has && !writes) reads_.push_back({at, unseen->second});
        const uintptr_t first = begin + page * kHostPage;
        erase(copy, first, first + kHostPage);
        protect(copy, page, false);
        return true;
    }
    return false;
}

}  // namespace coopvk::reference::icd
