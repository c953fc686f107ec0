// SPDX-License-Identifier: Apache-2.0
#include "dependencies/dependencies.hpp"

#include <format>

namespace coopvk::reference::icd {
namespace {

// Threads of a dispatch access the same memory; what they note of a byte is the same.
Time load(Time& time) { return std::atomic_ref(time).load(std::memory_order_relaxed); }
void store(Time& time, Time to) { std::atomic_ref(time).store(to, std::memory_order_relaxed); }

// Bytes that follow each other, and one command before, make one conflict; only the first is kept.
void add(std::optional<Conflict>& found, const Conflict& conflict) {
    if (!found)
        found = conflict;
    else if (found->before == conflict.before && found->use == conflict.use &&
             found->begin + found->size == conflict.begin)
        ++found->size;
}

// Of a stage. Which of its reads it was does not matter: reads need execution dependencies.
Use readOf(Stage stage) {
    constexpr Use kReads[] = {Use::kIndirectRead, Use::kStorageRead, Use::kCopyRead, Use::kBlitRead,
                              Use::kCopyRead,     Use::kConvertRead, Use::kHostRead};
    return kReads[size_t(stage)];
}

}  // namespace

void Dependencies::begin(CommandName name, Use writes) {
    // The host is of no queue; what it does counts as the first one's.
    const size_t queue = writes == Use::kHostWrite ? 0 : queue_;
    commands_.push_back({std::move(name), writes, queue});
    told_.clear();
    last_[queue][size_t(writes)] = now();
    for (size_t use = 0; use < kUseCount; ++use)
        settled_[use] = order().visibleAnywhere(Use(use), last_);
}

bool Dependencies::tells(const std::string& line, uint32_t most) {
    return told_.size() < most && told_.insert(line).second;
}

void Dependencies::apply(std::span<const Barrier> barriers) {
    const Order then = order();
    order().apply(then, now(), barriers);
}

void Dependencies::apply(const Signal& signal, std::vector<Barrier> barriers) {
    for (Barrier& barrier : barriers) {
        barrier.first.stages &= signal.first.stages;
        barrier.first.uses &= signal.first.uses;
    }
    const bool isOfHost = signal.fromHost != nullptr;
    order().apply(signal.order, isOfHost ? signal.fromHost->now : signal.now, barriers);
    order().complete(signal.complete);
}

void Dependencies::forget(const Range& memory) {
    history_.forget(reinterpret_cast<uintptr_t>(memory.data), memory.size);
}

bool Dependencies::isVisible(Time writer, Use to, uintptr_t at) const {
    return writer <= settled_[size_t(to)] || writer == now() ||
           order().isVisible(writer, queueOf(writer), commands_[writer - 1].writes, to, at);
}

Conflict Dependencies::withWriter(Time writer, Use now, uintptr_t at) const {
    return {writer, commands_[writer - 1].writes, now, at, 1};
}

// Reads before the last write have nothing to do with this one.
std::optional<Conflict> Dependencies::withReaders(History::Page& page, uintptr_t at,
                                                  Use use) const {
    const uintptr_t i = at % History::Page::kSize;
    const Time writer = load(page.writers[i]);
    for (size_t queue = 0; queue < kQueueCount; ++queue)
        for (size_t stage = 0; stage < kStageCount; ++stage) {
            History::Page::Bytes* readers = page.readers(queue, Stage(stage));
            const Time reader = readers != nullptr ? load((*readers)[i]) : 0;
            if (reader <= writer || reader == now()) continue;
            if (!order().happened(reader, queue, Stage(stage), stageOf(use)))
                return Conflict{reader, readOf(Stage(stage)), use, at, 1};
        }
    return std::nullopt;
}

std::optional<Conflict> Dependencies::read(Use use, const std::byte* data, uint64_t size,
                                           std::byte* seen) {
    std::optional<Conflict> found;
    auto at = reinterpret_cast<uintptr_t>(data);
    history_.forPages(at, size, [&](History::Page& page, uintptr_t first, uint64_t bytes) {
        History::Page::Bytes& readers = page.makeReaders(queue_, stageOf(use));
        for (uintptr_t i = first; i < first + bytes; ++i, ++at) {
            const Time writer = load(page.writers[i]);
            if (!isVisible(writer, use, at)) {
                add(found, withWriter(writer, use, at));
                if (isStale_ && seen != nullptr)
                    seen[at - reinterpret_cast<uintptr_t>(data)] = page.before[i];
            }
            store(readers[i], now());
        }
    });
    return found;
}

std::optional<Conflict> Dependencies::write(Use use, const std::byte* data, uint64_t size,
                                            const std::byte* replaced) {
    std::optional<Conflict> found;
    auto at = reinterpret_cast<uintptr_t>(data);
    history_.forPages(at, size, [&](History::Page& page, uintptr_t first, uint64_t bytes) {
        if (isHostApart_) noteNew(page, at);
        for (uintptr_t i = first; i < first + bytes; ++i, ++at, ++replaced) {
            const Time writer = load(page.writers[i]);
            if (!isVisible(writer, use, at))
                add(found, withWriter(writer, use, at));
            else if (const auto conflict = withReaders(page, at, use))
                add(found, *conflict);
            if (isStale_ && writer != now()) page.before[i] = *replaced;
            store(page.writers[i], now());
        }
    });
    return found;
}

std::string Dependencies::nameOf(Time command) const {
    const CommandName& name = commands_[command - 1].name;
    if (name.buffer == nullptr) return name.name;
    return std::format("{} (command {} of {})", name.name, name.number, *name.buffer);
}

std::string Dependencies::describe(const Conflict& c, const std::string& where) const {
    const Stage before = stageOf(c.use), after = stageOf(c.now);
    const char* verb = isWrite(c.now) ? "writes" : "reads";
    const bool isHost = c.now == Use::kHostWrite || c.use == Use::kHostWrite;
    const bool isOne = isHost || queueOf(now()) == queueOf(c.before);
    const auto named = [&](Time command) {
        return nameOf(command) + (isOne ? "" : std::format(" on queue {}", queueOf(command)));
    };
    std::string text = std::format("{} {} {}, which {} {}", named(now()), verb, where,
                                   named(c.before), isWrite(c.use) ? "wrote" : "read");
    if (c.now == Use::kHostWrite) return text + ", before it waited for that";
    if (!isWrite(c.use))
        return text + std::format(", without an execution dependency from {} to {}",
                                  icd::nameOf(before), icd::nameOf(after));
    return text + std::format(", without a memory dependency from {} to {}{}", icd::nameOf(c.use),
                              icd::nameOf(c.now), lackOf(c));
}

std::string Dependencies::lackOf(const Conflict& c) const {
    const size_t queue = queueOf(c.before);
    const Stage before = stageOf(c.use), after = stageOf(c.now);
    if (!order().happened(c.before, queue, before, after)) return "";
    return order().isAvailable(c.before, queue, c.use, after, c.begin)
               ? ": it is available, but not visible"
               : ": it has happened, but is not available";
}

void Dependencies::noteNew(History::Page& page, uintptr_t at) {
    if (page.isNew.load(std::memory_order_relaxed) || page.isNew.exchange(true)) return;
    const std::lock_guard lock(mutex_);
    newPages_.push_back(at / History::Page::kSize * History::Page::kSize);
}

// Only an execution dependency counts: after that the host may write what it likes.
std::optional<Conflict> Dependencies::hostWrite(const QueueTimes& complete, const std::byte* data,
                                                uint64_t size) {
    std::optional<Conflict> found;
    auto at = reinterpret_cast<uintptr_t>(data);
    history_.forPages(at, size, [&](History::Page& page, uintptr_t first, uint64_t bytes) {
        for (uintptr_t i = first; i < first + bytes; ++i, ++at, ++data) {
            const Time writer = page.writers[i];
            const Use use = writer != 0 ? commands_[writer - 1].writes : Use::kHostWrite;
            if (use != Use::kHostWrite && writer > complete[queueOf(writer)][size_t(stageOf(use))])
                add(found, withWriter(writer, Use::kHostWrite, at));
            for (size_t queue = 0; queue < kQueueCount; ++queue)
                for (size_t stage = 0; stage < kStageCount; ++stage) {
                    History::Page::Bytes* readers = page.readers(queue, Stage(stage));
                    const Time reader = readers != nullptr ? (*readers)[i] : 0;
                    if (reader > writer && reader > complete[queue][stage])
                        add(found, {reader, readOf(Stage(stage)), Use::kHostWrite, at, 1});
                }
            if (isStale_) page.before[i] = *data;
            page.writers[i] = now();
        }
    });
    return found;
}

// Whether the page has bytes that the host lacks still.
bool Dependencies::addWritten(uintptr_t begin, std::vector<Written>& all) {
    History::Page& page = history_.page(begin);
    if (page.hostHas == nullptr) page.hostHas = std::make_unique<History::Page::Bytes>();
    bool lacks = false;
    Time last = 0;  // of the byte before, if it is in `all`
    for (uintptr_t i = 0; i < History::Page::kSize; ++i) {
        const Time writer = page.writers[i];
        const Use use = writer != 0 ? commands_[writer - 1].writes : Use::kHostWrite;
        const bool isKnown = use == Use::kHostWrite || (*page.hostHas)[i] == writer;
        const bool visible =
            !isKnown && order().isVisible(writer, queueOf(writer), use, Use::kHostRead, begin + i);
        if (!isKnown && writer == last && all.back().isVisible == visible)
            ++all.back().size;
        else if (!isKnown)
            all.push_back({begin + i, 1, visible, use, nameOf(writer)});
        if (visible) (*page.hostHas)[i] = writer;
        lacks = lacks || (!isKnown && !visible);
        last = isKnown ? 0 : writer;
    }
    return lacks;
}

std::vector<Written> Dependencies::written() {
    std::vector<Written> all;
    const std::lock_guard lock(mutex_);
    std::erase_if(newPages_, [&](uintptr_t begin) {
        const bool lacks = addWritten(begin, all);
        history_.page(begin).isNew = lacks;
        return !lacks;
    });
    return all;
}

}  // namespace coopvk::reference::icd
