// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a buffer, where its type and the instructions that accessed it say.
#include <algorithm>

#include "memory.hpp"

namespace coopvk::check {

bool isRepeated(const Module& module, const BufferUse& use) {
    return use.place == Place::kAddress && !module.endsInRuntimeArray(use.type) &&
           module.sizeOf(use.type) != 0 && module.sizeOf(use.type) <= kMostGuessedBytes;
}

namespace {

// In which format each byte of a buffer was accessed.
class AccessedFormats {
 public:
    AccessedFormats(const Interface& interface, const Accesses& accesses)
        : interface_(interface), accesses_(accesses) {}

    // Null: in that of its type.
    const Format* at(uint64_t offset) {
        if (offset >= accesses_.size() || accesses_[offset] == 0) return nullptr;
        if (accesses_[offset] == position_) return format_;
        position_ = accesses_[offset];
        const auto found = interface_.accessed.find(position_);
        return format_ = found == interface_.accessed.end() ? nullptr : &found->second;
    }

 private:
    const Interface& interface_;
    const Accesses& accesses_;
    uint32_t position_ = 0;  // of the last instruction that was asked for
    const Format* format_ = nullptr;
};

// Runs of the formats in which the buffer was accessed.
void visitRuns(const Module& module, const Interface& interface, const Buffer& buffer,
               const Accesses& accesses, const Module::Visit& visit) {
    const uint64_t end = buffer.bytes.size();
    const auto& formats = buffer.use.formats;
    uint64_t taken = 0, done = 0;  // bytes behind a number that one of another format has taken
    AccessedFormats accessed(interface, accesses);
    const auto one = [&](uint64_t offset, const Format& declared, const Format& used) {
        const uint64_t last = offset + declared.bytes();
        uint64_t at = offset >= taken ? std::max(offset, done) : offset;
        while (at < last) {
            const Format* other = accessed.at(at);
            const Format& format = other != nullptr ? *other : used;
            if (at + format.bytes() <= end) visit({.format = format, .offset = at});
            at += format.bytes();
        }
        if (at == last) return;
        taken = last;
        done = at;
    };
    const auto all = [&](const Module::Run& run) {
        const bool isOther = run.isInArray && run.format.kind != Format::Kind::kAddress &&
                             !formats.empty() &&
                             std::ranges::find(formats, run.format) == formats.end();
        const Format& used = isOther ? formats.front() : run.format;
        const bool isPlain = accesses.empty() && used.bytes() == run.format.bytes();
        if (isPlain && done <= run.offset) return visit({used, run.offset, run.count, run.stride});
        for (uint64_t i = 0; i < run.count; ++i) one(run.offset + i * run.stride, run.format, used);
    };
    const uint64_t size = module.sizeOf(buffer.use.type);
    // There are several of a type with an end to which addresses point, or which a list has.
    if (isRepeated(module, buffer.use) || buffer.use.place == Place::kList)
        module.visitAll(buffer.use.type, size, end, all);
    else
        module.visit(buffer.use.type, 0, end, all);
}

}  // namespace

void visitRuns(const Module& module, const Buffer& buffer, const Module::Visit& visit) {
    visitRuns(module, {}, buffer, {}, visit);
}

void visitNumbers(const Module& module, const Interface& interface, const Buffer& buffer,
                  const Accesses& accesses, const VisitNumber& visit) {
    visitRuns(module, interface, buffer, accesses, [&](const Module::Run& run) {
        for (uint64_t i = 0; i < run.count; ++i) visit(run.offset + i * run.stride, run.format);
    });
}

void visitNumbers(const Module& module, const Buffer& buffer, const VisitNumber& visit) {
    visitNumbers(module, {}, buffer, {}, visit);
}

}  // namespace coopvk::check
