// SPDX-License-Identifier: Apache-2.0
#include "check/debug/session.hpp"

#include <algorithm>
#include <charconv>
#include <format>
#include <set>

#include "check/debug/words.hpp"
#include "coopvk/held_matrices.hpp"
#include "failure.hpp"

namespace coopvk::tool {
namespace {

// Of all samples together.
constexpr uint64_t kMostElements = uint64_t{1} << 24;

const char* nameOfUse(uint32_t use) {
    constexpr const char* kUses[] = {"A", "B", "accumulator"};
    return use < std::size(kUses) ? kUses[use] : "";
}

reference::ElementMap mapOf(const rewrite::HeldMatrix& held) {
    reference::ElementMap map{.rows = held.rows,
                              .columns = held.columns,
                              .invocations = held.invocations,
                              .ofWorkgroup = held.ofWorkgroup,
                              .isSum = held.inHalves,
                              .what = nameOfUse(held.use)};
    map.format = reference::numbers::findFormat(
        [&](const reference::numbers::Format& format) { return format.name == held.number; });
    for (const rewrite::HeldElement& element : held.elements)
        map.positions.push_back({element.row, element.column, true, element.isCopy});
    return map;
}

// "input OpCooperativeMatrixLoadKHR, word:393", as rewrite::withLines writes it.
constexpr std::string_view kFromInput = "input Op", kAtWord = ", word:";

bool overlap(uint64_t a, uint64_t sizeOfA, uint64_t b, uint64_t sizeOfB) {
    return a < b + sizeOfB && b < a + sizeOfA;
}

}  // namespace

Debuggee::Debuggee(const check::ReplaySide& of, std::string sideName)
    : side(of), name(std::move(sideName)), text(of.words) {
    for (const rewrite::HeldMatrix& held : rewrite::heldMatrices(of.words))
        maps[held.type] = mapOf(held);
}

std::string Debuggee::line(uint32_t word) const {
    const std::string line = reference::lineOf(program(), word);
    return line.starts_with(kFromInput) ? "" : line;
}

uint32_t Debuggee::origin(uint32_t word) const {
    const std::string line = reference::lineOf(program(), word);
    const size_t at = line.rfind(kAtWord);
    if (!line.starts_with(kFromInput) || at == std::string::npos) return 0;
    return static_cast<uint32_t>(numberIn(line.substr(at + kAtWord.size())).value_or(0));
}

Session::Session(const check::Replay& replay)
    : replay_(replay),
      native_(replay.native, "native"),
      rewritten_(replay.rewritten, "rewritten") {}

reference::Status Session::run(const Debuggee& side, reference::Debugger& debugger,
                               check::MemoryCopy& memory, reference::Resume first) const {
    return debugger.run(side.program(), replay_.dispatch(), memory, side.side.settings, first);
}

reference::Touches Session::touches(const check::MemoryCopy& memory, const NamedBytes& place) {
    if (!place.buffer)
        return [place](const reference::MemoryAccess& access) {
            return access.kind == reference::kShared &&
                   overlap(access.offset, access.size, place.offset, place.size);
        };
    const auto begin = reinterpret_cast<uintptr_t>(memory.bytes(*place.buffer).data());
    return [begin, place](const reference::MemoryAccess& access) {
        return access.kind == reference::kBuffer &&
               overlap(reinterpret_cast<uintptr_t>(access.data), access.size, begin + place.offset,
                       place.size);
    };
}

reference::Debugger::Write Session::lastWrite(const Debuggee& side, const NamedBytes& place,
                                              uint64_t number) const {
    using enum reference::Resume::Until;
    reference::Debugger debugger([](const reference::Stop&) { return reference::Resume{kEnd}; });
    check::MemoryCopy memory(replay_.memory);
    debugger.watched = touches(memory, place);
    const auto until = number == 0 ? reference::Resume{kRule} : reference::Resume{kNumber, number};
    (void)run(side, debugger, memory, until);
    return debugger.lastWrite();
}

namespace {

// Takes a value where each instruction gives it. Of a matrix of a workgroup, each subgroup gives
// its part.
class Sampler {
 public:
    explicit Sampler(const Debuggee& side) : side_(side) {}
    std::vector<Sample> samples;

    reference::Resume take(const reference::Stop& stop) {
        for (const uint32_t id : stop.rules)
            if (auto value = reference::valueOf(stop.at, id, side_.maps)) add(stop, id, *value);
        const bool isFull = elements_ > kMostElements;
        return {isFull ? reference::Resume::Until::kEnd : reference::Resume::Until::kRule};
    }

 private:
    void add(const reference::Stop& stop, uint32_t id, reference::ShownValue& value) {
        const auto group = reference::workgroupAt(stop.at);
        const uint32_t subgroup = stop.at.subgroup();
        const uint32_t time = times_[{id, group[0], group[1], group[2], subgroup}]++;
        const uint32_t of = value.ofWorkgroup ? 0 : subgroup;
        // Copies of other subgroups may be older.
        if (value.ofWorkgroup)
            for (reference::ShownElement& element : value.elements) element.otherCopy.reset();
        const auto [found, isNew] =
            places_.try_emplace({id, group[0], group[1], group[2], of, time}, samples.size());
        if (!isNew) return addPart(samples[found->second].value, value, subgroup);
        elements_ += value.elements.size() + value.numbers.size();
        samples.push_back({.id = id,
                           .workgroup = group,
                           .subgroup = of,
                           .word = stop.word,
                           .time = time,
                           .value = std::move(value)});
    }

    static void addPart(reference::ShownValue& to, const reference::ShownValue& from,
                        uint32_t subgroup) {
        for (size_t i = 0; i < from.elements.size() && i < to.elements.size(); ++i)
            if (from.elements[i].invocation / from.lanes == subgroup)
                to.elements[i] = from.elements[i];
    }

    const Debuggee& side_;
    std::map<std::array<uint32_t, 5>, uint32_t> times_;
    std::map<std::array<uint32_t, 6>, size_t> places_;
    uint64_t elements_ = 0;
};

}  // namespace

std::vector<Sample> Session::samples(const Debuggee& side, const std::vector<uint32_t>& ids) const {
    Sampler sampler(side);
    reference::Debugger debugger([&](const reference::Stop& stop) { return sampler.take(stop); });
    for (const uint32_t id : ids)
        debugger.rules.push_back({.number = id, .words = reference::wordsOfId(side.program(), id)});
    check::MemoryCopy memory(replay_.memory);
    (void)run(side, debugger, memory, {});
    return std::move(sampler.samples);
}

std::vector<uint32_t> Session::sharedMatrices() const {
    const check::Module module(native_.side.words, {});
    std::vector<uint32_t> ids;
    for (const check::Instruction& i : module.instructions()) {
        const spv::Op type = module.definition(i[1]).opcode;
        const bool isMatrix = type == spv::Op::OpTypeCooperativeMatrixKHR ||
                              type == spv::Op::OpTypeCooperativeMatrixNV;
        if (!isMatrix || module.definition(i[2]).words.data() != i.words.data()) continue;
        if (reference::wordsOfId(native_.program(), i[2]).empty()) continue;
        if (!reference::wordsOfId(rewritten_.program(), i[2]).empty()) ids.push_back(i[2]);
    }
    return ids;
}

rewrite::Result<NamedBytes> Session::placeOfBuffer(const std::string& name, uint64_t offset) const {
    const auto& buffers = replay_.memory.buffers;
    const std::vector<std::string> parts = split(name, '.');
    std::vector<uint64_t> n;
    for (const std::string& part : parts)
        if (const auto number = numberIn(part)) n.push_back(*number);
    if (n.size() != parts.size() || n.size() < 2 || n.size() > 3)
        return failure("'" + name + "' is no SET.BINDING, SET.BINDING.ELEMENT or shared");
    for (size_t b = 0; b < buffers.size(); ++b) {
        const check::Buffer& buffer = buffers[b];
        if (buffer.use.place != check::Place::kDescriptor || buffer.use.set != n[0] ||
            buffer.use.binding != n[1] || buffer.element != (n.size() == 3 ? n[2] : 0))
            continue;
        if (offset >= buffer.bytes.size())
            return failure(std::format("{} has {} bytes", buffer.name, buffer.bytes.size()));
        return NamedBytes{.buffer = b, .offset = offset};
    }
    std::string message = "there is no buffer " + name;
    for (const check::Buffer& buffer : buffers)
        message += (&buffer == buffers.data() ? ": there are " : "; ") + buffer.name;
    return failure(message);
}

rewrite::Result<NamedBytes> Session::place(const std::string& text) const {
    const size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const auto offset =
        colon != std::string::npos ? numberIn(text.substr(colon + 1)) : std::optional<uint64_t>();
    const auto address = name.starts_with("0x") ? numberIn(name) : std::nullopt;
    if (address && colon == std::string::npos) {
        const auto& buffers = replay_.memory.buffers;
        for (size_t b = 0; b < buffers.size(); ++b)
            if (buffers[b].address != 0 && *address >= buffers[b].address &&
                *address - buffers[b].address < buffers[b].bytes.size())
                return NamedBytes{.buffer = b, .offset = *address - buffers[b].address};
        return failure("no buffer is at the address " + name);
    }
    if (!offset)
        return failure("'" + text +
                       "' is no byte: give SET.BINDING:BYTE, shared:BYTE or an address 0x...");
    if (name == "shared") return NamedBytes{.offset = *offset};
    return placeOfBuffer(name, *offset);
}

std::string Session::nameOf(const NamedBytes& place) const {
    const std::string name = place.buffer ? replay_.memory.buffers[*place.buffer].name : "shared";
    return std::format("{}, byte {}", name, place.offset);
}

}  // namespace coopvk::tool
