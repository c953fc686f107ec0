// SPDX-License-Identifier: Apache-2.0
#include "stored_matrices.hpp"

#include <algorithm>
#include <cstring>

namespace coopvk::check {
namespace {

using reference::Moment;
using reference::ShownValue;

// What a picture may have.
constexpr uint64_t kMostPictured = uint64_t{1} << 16;

class NoReports final : public reference::Reporter {
 public:
    bool report(const reference::Report&) override { return true; }
    void print(const std::string&) override {}
};

bool storesMatrix(uint32_t opcode) {
    const auto op = static_cast<spv::Op>(opcode);
    return op == spv::Op::OpCooperativeMatrixStoreKHR ||
           op == spv::Op::OpCooperativeMatrixStoreTensorNV;
}

// Where bytes of a buffer are.
struct BufferOf {
    const MemoryCopy& memory;
    size_t count;
    std::optional<BufferByte> find(const std::byte* data) const {
        for (size_t b = 0; b < count; ++b) {
            const auto bytes = memory.bytes(b);
            const auto first = reinterpret_cast<uintptr_t>(bytes.data());
            const auto at = reinterpret_cast<uintptr_t>(data);
            if (at >= first && at - first < bytes.size()) return BufferByte{b, at - first};
        }
        return std::nullopt;
    }
};

// Of each byte of each buffer the invocation that wrote it last, plus 1.
class LastWriters final : public reference::Observer {
 public:
    LastWriters(const MemoryCopy& memory, size_t buffers) : of_{memory, buffers} {
        for (size_t b = 0; b < buffers; ++b) writers_.emplace_back(memory.bytes(b).size());
    }
    uint32_t events() const override { return reference::kEventStore | reference::kEventAtomic; }
    void begin(const reference::Group& group) override { lanes_ = group.lanes; }
    void store(const Moment&, const reference::MemoryAccess& access) override { note(access); }
    void atomic(const Moment&, const reference::MemoryAccess& access,
                const reference::AtomicOperation& operation) override {
        if (operation.writes) note(access);
    }
    std::optional<uint32_t> at(size_t buffer, uint64_t byte) const {
        const uint32_t writer = writers_[buffer][byte];
        return writer != 0 ? std::optional(writer - 1) : std::nullopt;
    }

 private:
    void note(const reference::MemoryAccess& access) {
        if (access.kind != reference::kBuffer) return;
        const auto found = of_.find(access.data);
        if (!found) return;
        std::vector<uint32_t>& writers = writers_[found->buffer];
        const uint64_t end = std::min<uint64_t>(found->offset + access.size, writers.size());
        std::fill(writers.begin() + static_cast<ptrdiff_t>(found->offset),
                  writers.begin() + static_cast<ptrdiff_t>(end),
                  access.subgroup * lanes_ + access.lane + 1);
    }

    BufferOf of_;
    uint32_t lanes_ = 1;
    std::vector<std::vector<uint32_t>> writers_;
};

// The matrices that instructions store, with where. A lane stores its components in their order.
class Stores final : public reference::Observer {
 public:
    Stores(const MemoryCopy& memory, size_t buffers) : of_{memory, buffers} {}
    std::vector<StoredMatrix> matrices;

    uint32_t events() const override {
        return reference::kEventStore | reference::kEventInstruction;
    }
    void begin(const reference::Group& group) override { lanes_ = group.lanes; }
    void store(const Moment& at, const reference::MemoryAccess& access) override {
        if (access.kind == reference::kBuffer && storesMatrix(at.opcode()))
            stored_[access.subgroup * lanes_ + access.lane].push_back(access.data);
    }
    void instruction(const Moment& at) override {
        if (stored_.empty()) return;
        const auto value = reference::valueOf(at, at.literal(1));
        if (value && value->rows != 0 && value->elements.size() <= kMostPictured) add(at, *value);
        stored_.clear();
    }

 private:
    // The number of another subgroup's part of a matrix of the workgroup, or of a new one.
    size_t matrixFor(const Moment& at, const ShownValue& value, size_t buffer) {
        const auto group = reference::workgroupAt(at);
        size_t& started = started_[{at.word(), group[0], group[1], group[2], buffer}];
        if (value.ofWorkgroup && at.subgroup() != 0 && started != 0) return started - 1;
        StoredMatrix matrix{.buffer = buffer,
                            .type = value.type,
                            .workgroup = group,
                            .subgroup = at.subgroup(),
                            .word = at.word(),
                            .rows = value.rows,
                            .columns = value.columns};
        matrix.elements.resize(value.elements.size());
        for (size_t i = 0; i < value.elements.size(); ++i)
            matrix.elements[i].native = value.elements[i];
        matrices.push_back(std::move(matrix));
        started = matrices.size();
        return started - 1;
    }

    void add(const Moment& at, const ShownValue& value) {
        const uint32_t first = value.ofWorkgroup ? 0 : at.subgroup() * lanes_;
        std::map<uint32_t, std::vector<std::pair<uint32_t, size_t>>> held;  // by invocation
        for (size_t i = 0; i < value.elements.size(); ++i) {
            const reference::ShownElement& element = value.elements[i];
            if (element.isHeld) held[first + element.invocation].emplace_back(element.component, i);
        }
        std::map<size_t, size_t> matrixIn;  // by buffer
        for (auto& [invocation, places] : stored_) {
            auto& components = held[invocation];
            std::ranges::sort(components);
            if (components.size() != places.size()) continue;  // a part was clipped
            for (size_t i = 0; i < places.size(); ++i) {
                const auto found = of_.find(places[i]);
                if (!found) continue;
                if (!matrixIn.contains(found->buffer))
                    matrixIn[found->buffer] = matrixFor(at, value, found->buffer);
                StoredElement& element =
                    matrices[matrixIn[found->buffer]].elements[components[i].second];
                element.byte = found->offset;
                element.nativeInvocation = invocation;
            }
        }
    }

    BufferOf of_;
    uint32_t lanes_ = 1;
    std::map<uint32_t, std::vector<const std::byte*>> stored_;  // by this instruction
    // Of an instruction, a workgroup and a buffer: the last matrix, plus 1.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, size_t>, size_t> started_;
};

void run(const Replay& replay, const ReplaySide& side, reference::Observer& observer,
         MemoryCopy& memory) {
    reference::Observer* const observers[] = {&observer};
    reference::Dispatch dispatch = replay.dispatch();
    dispatch.observers = observers;
    reference::Settings settings = side.settings;
    settings.threads = 1;
    NoReports reporter;
    (void)reference::execute(*side.side.program, dispatch, memory, settings, reporter);
}

uint64_t bitsAt(std::span<const std::byte> bytes, uint64_t byte, uint32_t width) {
    uint64_t bits = 0;
    const size_t size = std::max(width / 8, 1u);
    if (byte + size <= bytes.size()) std::memcpy(&bits, bytes.data() + byte, size);
    return bits;
}

}  // namespace

std::vector<StoredMatrix> differingMatrices(const Replay& replay, size_t most) {
    std::vector<StoredMatrix> differing;
    if (replay.rewritten.side.program == nullptr) return differing;
    const size_t buffers = replay.memory.buffers.size();
    MemoryCopy native(replay.memory), rewritten(replay.memory);
    Stores stores(native, buffers);
    run(replay, replay.native, stores, native);
    LastWriters writers(rewritten, buffers);
    run(replay, replay.rewritten, writers, rewritten);
    for (StoredMatrix& matrix : stores.matrices) {
        for (StoredElement& element : matrix.elements) {
            element.rewritten = element.native;
            if (!element.byte) continue;
            // What others stored there later counts.
            element.native.bits =
                bitsAt(native.bytes(matrix.buffer), *element.byte, element.native.width);
            element.rewritten.bits =
                bitsAt(rewritten.bytes(matrix.buffer), *element.byte, element.native.width);
            element.rewrittenInvocation = writers.at(matrix.buffer, *element.byte);
        }
        if (matrix.differing() != 0 && differing.size() < most)
            differing.push_back(std::move(matrix));
    }
    return differing;
}

}  // namespace coopvk::check
