// SPDX-License-Identifier: Apache-2.0
#include "int4_case.hpp"

#include <algorithm>

#include "reference.hpp"

namespace coopvk::test {
namespace {

constexpr const char* kTypes =
    "%s4 = OpTypeInt 4 1\n%u4 = OpTypeInt 4 0\n"
    "%s4x2 = OpTypeVector %s4 2\n%s4x3 = OpTypeVector %s4 3\n%s4x4 = OpTypeVector %s4 4\n"
    "%s4x8 = OpTypeVector %s4 8\n%u4x2 = OpTypeVector %u4 2\n%u4x4 = OpTypeVector %u4 4\n"
    "%u4x8 = OpTypeVector %u4 8\n%u4x16 = OpTypeVector %u4 16\n"
    "%boolx2 = OpTypeVector %bool 2\n%boolx4 = OpTypeVector %bool 4\n"
    "%n7 = OpConstant %s4 -7\n%n1 = OpConstant %s4 -1\n%p5 = OpConstant %s4 5\n"
    "%u13 = OpConstant %u4 13\n%u2 = OpConstant %u4 2\n";

}  // namespace

uint32_t nibble(const Bytes& bytes, size_t n) {
    return static_cast<uint32_t>(bytes[n / 2]) >> 4 * (n % 2) & 15u;
}

void setNibble(Bytes& bytes, size_t n, uint32_t value) {
    const uint32_t shift = 4 * (n % 2), old = static_cast<uint32_t>(bytes[n / 2]);
    bytes[n / 2] = static_cast<std::byte>((old & ~(15u << shift)) | value << shift);
}

Assembly assemblyOf(const Int4Case& c) {
    Assembly a;
    a.buffers = {{"in", "u32", 4}, {"out", "u32", 4}};
    a.capabilities = {"Int4TypeINTEL", "Vector16"};
    a.extensions = {"SPV_INTEL_int4"};
    a.capabilities.insert(a.capabilities.end(), c.capabilities.begin(), c.capabilities.end());
    a.declarations = std::string(kTypes) + c.declarations;
    a.decorations = c.decorations;
    a.interfaces = c.interfaces;
    a.functions = c.functions;
    // Variables come first in a function.
    std::string variables, rest = c.body;
    while (rest.starts_with("%var")) {
        const size_t end = rest.find('\n') + 1;
        variables += rest.substr(0, end);
        rest = rest.substr(end);
    }
    a.body = variables +
             "%gp = OpAccessChain %in_u32 %group %c_0\n%g = OpLoad %u32 %gp\n"
             "%l = OpLoad %u32 %lane\n%gw = OpIMul %u32 %g %workgroup_width\n"
             "%i = OpIAdd %u32 %gw %l\n%px = OpAccessChain %sb_u32 %in %c_0 %i\n"
             "%x = OpLoad %u32 %px\n" +
             rest;
    if (rest.find("%r = ") != rest.npos) {
        a.body += "%pr = OpAccessChain %sb_u32 %out %c_0 %i\nOpStore %pr %r\n";
    }
    return a;
}

void runInt4Case(const Int4Case& c) {
    Rng rng(c.name);
    Dispatch dispatch;
    constexpr uint32_t kGroups = 8;
    const uint32_t count = kGroups * Context::get().subgroupSize;
    dispatch.groups = {kGroups, 1, 1};
    std::vector<uint32_t> in;
    // All values of the lowest nibbles, and any of the others.
    for (uint32_t i = 0; i < count; ++i)
        in.push_back((static_cast<uint32_t>(rng.next()) & ~0xFFu) | ((i * 37u) & 0xFFu));
    const auto bytes = [](const std::vector<uint32_t>& words) {
        const auto view = std::as_bytes(std::span(words));
        return Bytes(view.begin(), view.end());
    };
    dispatch.buffers = {bytes(in), rng.bytes(count * 4)};
    dispatch.push = pushWords({0x76543210, 0xFEDCBA98, 0x1A2B3C4D, 0x5E6F7081});
    if (std::ranges::count(c.capabilities, "PhysicalStorageBufferAddresses") != 0) {
        dispatch.addresses = {0};
    }
    SCOPED_TRACE(c.name);
    const Words words = assemble(assemblyOf(c), Checked::kNo);
    expectAsReference(words, dispatch, {.specialization = c.specialization});
}

}  // namespace coopvk::test
