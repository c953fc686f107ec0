// SPDX-License-Identifier: Apache-2.0
//
// Where the numbers of a type lie in memory.
#include <algorithm>

#include "module.hpp"

namespace coopvk::check {
namespace {

constexpr uint32_t kMaxDepth = 32;
constexpr uint64_t kMostMembers = 1u << 22;
// Of an element of an array: more are not kept for the other elements.
constexpr size_t kMostRuns = 4096;
constexpr uint64_t kMostElements = uint64_t{1} << 32, kMostBytes = uint64_t{1} << 31;

bool isArray(spv::Op op) { return op == spv::Op::OpTypeArray || op == spv::Op::OpTypeRuntimeArray; }

bool isMatrix(spv::Op op) { return op == spv::Op::OpTypeMatrix; }

bool hasElements(spv::Op op) {
    return isArray(op) || isMatrix(op) || op == spv::Op::OpTypeVector ||
           op == spv::Op::OpTypeVectorIdEXT;
}

}  // namespace

// 0: as many as there is memory for.
uint64_t Module::countOf(const Instruction& type) const {
    if (type.opcode == spv::Op::OpTypeRuntimeArray) return 0;
    if (type.opcode == spv::Op::OpTypeVector || isMatrix(type.opcode)) return type[3];
    return constant(type[3]).value_or(0);
}

Member Module::elementOf(const Member& of, const Instruction& type) const {
    Member element = of;
    element.type = type[2];
    if (!isArray(type.opcode)) element.matrixStride = 0;
    return element;
}

uint64_t Module::strideOf(const Member& of, const Instruction& type, Walk walk) const {
    if (isMatrix(type.opcode) && of.matrixStride != 0) return of.matrixStride;
    if (isArray(type.opcode)) {
        const auto stride = decoration(of.type, spv::Decoration::ArrayStride);
        if (stride && *stride != 0) return *stride;
    }
    return sizeOf(elementOf(of, type), walk.deeper());
}

uint64_t Module::sizeOf(const Member& of, Walk walk) const {
    const Instruction& type = definition(of.type);
    if (walk.ends()) return 0;
    if (const auto scalar = format(of.type)) return scalar->bytes();
    if (hasElements(type.opcode))
        return std::min(std::min(countOf(type), kMostElements) * strideOf(of, type, walk),
                        kMostBytes);
    uint64_t size = 0;
    for (const Member& next : membersOf(of.type, walk))
        size = std::max(size, next.offset + sizeOf(next, walk.deeper()));
    return std::min(size, kMostBytes);
}

// Without decorations, as the reference device places members.
std::vector<Member> Module::membersOf(uint32_t structType, Walk walk) const {
    constexpr uint64_t kAlignment = 8;
    const Instruction& type = definition(structType);
    std::vector<Member> members;
    uint64_t end = 0;
    for (uint32_t m = 0; type.opcode == spv::Op::OpTypeStruct && m + 2 < type.words.size(); ++m) {
        const auto decorated = [&](spv::Decoration decoration) {
            const auto found = memberDecorations_.find({structType, m, decoration});
            return found == memberDecorations_.end() ? std::nullopt : std::optional(found->second);
        };
        const auto offset = decorated(spv::Decoration::Offset);
        Member& member = members.emplace_back(
            Member{.type = type[2 + m],
                   .offset = offset.value_or(0),
                   .matrixStride = decorated(spv::Decoration::MatrixStride).value_or(0)});
        if (offset) continue;
        member.offset = (end + kAlignment - 1) / kAlignment * kAlignment;
        end = member.offset + sizeOf(member, walk.deeper());
    }
    return members;
}

bool Module::Walk::ends() const {
    if (left == 0 || depth > kMaxDepth) return true;
    --left;
    return false;
}

uint64_t Module::sizeOf(uint32_t type) const {
    uint64_t left = kMostMembers;
    return sizeOf({.type = type}, {left});
}

bool Module::endsInRuntimeArray(uint32_t type) const {
    for (uint32_t depth = 0; depth < kMaxDepth; ++depth) {
        const Instruction& i = definition(type);
        if (i.opcode == spv::Op::OpTypeRuntimeArray) return true;
        if (i.opcode != spv::Op::OpTypeStruct || i.words.size() < 3) return false;
        type = i.words.back();
    }
    return false;
}

void Module::visitMember(const Member& of, uint64_t offset, uint64_t end, const Visit& visit,
                         bool isInArray, Walk walk) const {
    const Instruction& type = definition(of.type);
    if (offset >= end || walk.ends()) return;
    if (const auto scalar = format(of.type)) {
        if (end - offset >= scalar->bytes())
            visit({.format = *scalar, .offset = offset, .isInArray = isInArray});
        return;
    }
    for (const Member& next : membersOf(of.type, walk))
        visitMember(next, offset + next.offset, end, visit, isInArray, walk.deeper());
    if (!hasElements(type.opcode)) return;
    const uint64_t stride = strideOf(of, type, walk);
    if (stride == 0) return;
    const uint64_t most = (end - offset + stride - 1) / stride;
    uint64_t count = countOf(type) == 0 ? most : std::min(countOf(type), most);
    const Member element = elementOf(of, type);
    isInArray = isInArray || isArray(type.opcode);
    const auto scalar = format(element.type);
    if (!scalar)
        return visitElements({element, offset, stride, count}, end, visit, isInArray,
                             walk.deeper());
    count = std::min<uint64_t>(count, walk.left);
    walk.left -= count;
    if (end - offset < scalar->bytes()) return;
    count = std::min(count, (end - offset - scalar->bytes()) / stride + 1);
    visit({*scalar, offset, count, stride, isInArray});
}

// All have the same numbers, but for those that end behind the memory.
void Module::visitElements(const Elements& of, uint64_t end, const Visit& visit, bool isInArray,
                           Walk walk) const {
    std::vector<Run> runs;
    uint64_t size = 0;  // bytes up to the end of the last number
    const uint64_t before = walk.left;
    const auto note = [&](const Run& run) {
        const uint64_t last = run.offset + (run.count - 1) * run.stride;
        size = std::max(size, last + run.format.bytes() - of.offset);
        if (runs.size() < kMostRuns) runs.push_back(run);
        visit(run);
    };
    visitMember(of.element, of.offset, end, note, isInArray, walk);
    const uint64_t members = before - walk.left;
    for (uint64_t e = 1; e < of.count; ++e) {
        const uint64_t more = e * of.stride;
        const bool isWhole = walk.left >= members && of.offset + more + size <= end;
        if (!isWhole || runs.size() == kMostRuns) {
            visitMember(of.element, of.offset + more, end, visit, isInArray, walk);
            continue;
        }
        walk.left -= members;
        for (Run run : runs) {
            run.offset += more;
            visit(run);
        }
    }
}

void Module::visitAll(uint32_t type, uint64_t size, uint64_t end, const Visit& visit) const {
    if (size == 0) return;
    const uint64_t count = (end + size - 1) / size;
    uint64_t left = kMostMembers * count;
    visitElements({{.type = type}, 0, size, count}, end, visit, false, {left});
}

void Module::visit(uint32_t type, uint64_t offset, uint64_t end, const Visit& visit) const {
    uint64_t left = kMostMembers;
    visitMember({.type = type}, offset, end, visit, false, {left});
}

}  // namespace coopvk::check
