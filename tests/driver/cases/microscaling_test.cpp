// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_shader_ocp_microscaling_types: numbers in bit casts, in memory and in control flow.
#include <gtest/gtest.h>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/layer_log.hpp"
#include "harness/microscaled.hpp"
#include "harness/random.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::microscaling_test {
namespace {

// Values of one format in all places that it may be in. Expected values are the reference device's.
class MicroscalingValues : public testing::TestWithParam<std::string_view> {
 protected:
    void SetUp() override { COOPVK_REQUIRE(Requirement::kMicroscaling); }
    static const Microscaled& type() { return microscaled(GetParam()); }
    // ${T}: the scalar, ${V2} to ${V4}: vectors. ${FROM}(integers): its bits at an offset.
    static Words compile(std::string_view text) {
        const std::string from = type().from("x", 0);
        return compileGlsl(microscalingHeader() +
                           substitute(text, {{"T", type().vectorOf(1)},
                                             {"V2", type().vectorOf(2)},
                                             {"V3", type().vectorOf(3)},
                                             {"V4", type().vectorOf(4)},
                                             {"FROM", from.substr(0, from.find('('))},
                                             {"END", type().isInBytes() ? ")" : ", 1)"}}));
    }
    static Bytes randomBytes(size_t count) { return Rng(GetParam()).bytes(count); }
    static void expectRewritten() {
        if (!Context::get().emulated) return;
        EXPECT_NE(LayerLog::take().find("VK_EXT_shader_ocp_microscaling_types"), std::string::npos);
    }
};

TEST_P(MicroscalingValues, PrivateMemoryAndControlFlow) {
    Dispatch dispatch;
    dispatch.buffers = {randomBytes(64 * 4), Bytes(64 * 4 * 4)};
    LayerLog::take();
    expectAsReference(compile(R"(
layout(binding = 0) buffer A { u8vec4 a[]; };
layout(binding = 1) buffer B { vec4 b[]; };
struct Part { ${T} one; ${V3} rest; ${V2} pairs[2]; };
const ${T} kTable[3] = { ${T}(1.0), ${T}(0.5), ${T}(2.0) };
Part parts[3];
${T} picked(${V4} v, uint i) { return v[i]; }
${V4} turned(${V4} v, out ${T} first) { first = v.x; return v.yzwx; }
void main() {
    uint i = gl_LocalInvocationIndex;
    ${V4} v = ${FROM}(a[i]${END};
    ${T} first;
    ${V4} w = turned(v, first);
    parts[i % 3] = Part(first, w.xyz, ${V2}[2](v.xy, v.zw));
    Part copy = parts[i % 3];
    for (uint k = 0; k < i % 5; ++k) first = k == 3 ? kTable[i % 3] : picked(w, k % 4);
    if (i % 7 == 0) w = v.wzyx;
    w[i % 4] = i % 2 == 0 ? copy.one : copy.pairs[1][i % 2];
    b[i] = i % 3 == 0 ? vec4(w) : vec4(vec3(copy.rest), float(first));
})"),
                      dispatch);
    expectRewritten();
}

INSTANTIATE_TEST_SUITE_P(All, MicroscalingValues,
                         testing::Values("e2m1", "e2m3", "e3m2", "e8m0", "mxint8"),
                         [](const auto& param) { return std::string(param.param); });

// E8M0 and MXINT8 may be in memory of all storage classes.
class MicroscalingMemory : public MicroscalingValues {};

TEST_P(MicroscalingMemory, OfAllKinds) {
    Dispatch dispatch;
    dispatch.buffers = {randomBytes(64 * 4), randomBytes(64 * 16), randomBytes(64 * 4)};
    dispatch.addresses = {2};
    dispatch.push = std::vector<std::byte>(4, std::byte{0x41});
    expectAsReference(compile(R"(
layout(scalar, binding = 0) buffer A { ${V4} a[]; };
layout(scalar, binding = 1) buffer B { ${V4} b[]; };
layout(scalar, binding = 5) uniform D { ${T} uniforms[256]; };
layout(buffer_reference, scalar) buffer R { ${V2} pairs[]; };
layout(push_constant, scalar) uniform Push { R r; ${T} first; ${V3} rest; };
shared ${T} s[256];
void main() {
    uint i = gl_LocalInvocationIndex;
    for (uint k = 0; k < 4; ++k) s[i * 4 + k] = a[i][k];
    barrier();
    uint j = 63 - i;
    ${V4} v = ${V4}(s[j * 4], s[j * 4 + 1], s[j * 4 + 2], s[j * 4 + 3]);
    b[i * 4] = v.yzwx;
    b[i * 4 + 1] = ${V4}(uniforms[i * 4], uniforms[i * 4 + 1], uniforms[i], uniforms[255 - i]);
    b[i * 4 + 2] = ${V4}(r.pairs[i * 2 + 1], r.pairs[i * 2]);
    b[i * 4 + 3] = i % 2 == 0 ? ${V4}(first, rest) : v;
    b[i * 4 + 3][i % 3] = a[i][3];
})"),
                      dispatch);
}

INSTANTIATE_TEST_SUITE_P(All, MicroscalingMemory, testing::Values("e8m0", "mxint8"),
                         [](const auto& param) { return std::string(param.param); });

// Numbers that lie side by side in bytes and words, also as long vectors, and back.
TEST(Microscaling, BitCastsOfPackedNumbers) {
    COOPVK_REQUIRE(Requirement::kMicroscaling);
    COOPVK_REQUIRE(Requirement::kLongVector);
    Rng rng("Microscaling");
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(64 * 12), Bytes(64 * 16 * 4 * 3), Bytes(64 * 16 * 4)};
    expectAsReference(compileGlsl(microscalingHeader() + R"(
layout(scalar, binding = 0) buffer A { uvec3 a[]; };
layout(scalar, binding = 1) buffer B { float b[][3][16]; };
layout(scalar, binding = 2) buffer C { uint c[][16]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    u8vec4 bytes = unpack8(a[i].x);
    fe2m1vec2 two = unpackFloat2xfe2m1EXT(bytes.x);
    fe2m1vec4 four = unpackFloat4xfe2m1EXT(uint16_t(a[i].y));
    vector<floate2m1_t, 8> eight = unpackFloat8xfe2m1EXT(a[i].z);
    vector<floate2m1_t, 16> many = unpackFloat16xfe2m1EXT(a[i].yx);
    fe3m2vec4 four6 = unpackFloat4xfe3m2EXT(bytes.xyz);
    vector<floate3m2_t, 8> eight6 = unpackFloat8xfe3m2EXT(u16vec3(a[i]));
    vector<floate2m3_t, 16> many6 = unpackFloat16xfe2m3EXT(a[i]);
    for (uint k = 0; k < 16; ++k) {
        b[i][0][k] = k < 2 ? float(two[k % 2]) : k < 6 ? float(four[(k - 2) % 4])
                   : k < 14 ? float(eight[(k - 6) % 8]) : float(four6[k % 2]);
        b[i][1][k] = float(many[k]);
        b[i][2][k] = k % 2 == 0 ? float(many6[k]) : float(eight6[k / 2]);
    }
    c[i][0] = packFloat2xfe2m1EXT(two.yx);
    c[i][1] = packFloat4xfe2m1EXT(four.wzyx);
    eight[3] = two.x;
    c[i][2] = packFloat8xfe2m1EXT(eight);
    u32vec2 words = packFloat16xfe2m1EXT(many);
    c[i][3] = words.x; c[i][4] = words.y;
    u8vec3 three = packFloat4xfe3m2EXT(four6.wzyx);
    c[i][5] = three.x; c[i][6] = three.y; c[i][7] = three.z;
    u16vec3 threes = packFloat8xfe3m2EXT(eight6);
    c[i][8] = threes.x; c[i][9] = threes.y; c[i][10] = threes.z;
    u32vec3 wide = packFloat16xfe2m3EXT(many6);
    c[i][11] = wide.x; c[i][12] = wide.y; c[i][13] = wide.z;
    c[i][14] = c[i][15] = 0;
})"),
                      dispatch);
}

// GLSL has it of bytes only.
TEST(Microscaling, ExtractsFromBytes) {
    COOPVK_REQUIRE(Requirement::kMicroscaling);
    Rng rng("Bytes");
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(64 * 4), Bytes(64 * 4 * 16)};
    expectAsReference(compileGlsl(microscalingHeader() + R"(
layout(scalar, binding = 0) buffer A { u8vec4 a[]; };
layout(scalar, binding = 1) buffer B { vec4 b[][4]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    u8vec4 bytes = a[i];
    b[i][0] = vec4(bitcastExtractfe2m1EXT(bytes, i % 5));
    b[i][1] = vec4(bitcastExtractfe2m3EXT(bytes, i % 3));
    b[i][2] = vec4(vec2(bitcastExtractfe3m2EXT(bytes.xy, 2)), vec2(bitcastExtractfe2m1EXT(bytes.zw, 4)));
    b[i][3] = vec4(vec3(bitcastExtractfe2m3EXT(bytes.xyz, 1)), float(bitcastExtractfe2m1EXT(bytes.w, i % 4)));
})"),
                      dispatch);
}

// Integers of all widths and both signs, at every offset that is whole in them.
TEST(Microscaling, ExtractsFromIntegers) {
    COOPVK_REQUIRE(Requirement::kMicroscaling);
    COOPVK_REQUIRE(Requirement::kInt64);
    Assembly assembly;
    assembly.buffers = {{"a", "u32", 4}, {"b", "f32x4", 16}};
    assembly.capabilities = {"Float4EXT", "Float6EXT", "BitcastExtractEXT"};
    assembly.extensions = {"SPV_EXT_ocp_microscaling_types"};
    assembly.types =
        "%e2m1 = OpTypeFloat 4 Float4E2M1EXT\n%e2m3 = OpTypeFloat 6 Float6E2M3EXT\n"
        "%e3m2 = OpTypeFloat 6 Float6E3M2EXT\n%e3m2x2 = OpTypeVector %e3m2 2\n";
    assembly.body = R"(
%i = OpLoad %u32 %lane
%at_a = OpAccessChain %sb_u32 %a %c_0 %i
%word = OpLoad %u32 %at_a
%long = OpUConvert %u64 %word
%up = OpShiftLeftLogical %u64 %long %c_31
%both = OpBitwiseXor %u64 %long %up
%pair = OpCompositeConstruct %u64x2 %both %up
%signed = OpBitcast %s32 %word
%short = OpUConvert %u16 %word
%o1 = OpUMod %u32 %i %c_29
%o2 = OpUMod %u32 %i %c_11
%o3 = OpIAdd %u32 %i %c_16
%o4 = OpUMod %u32 %o3 %c_59
%narrow = OpUConvert %u16 %o2
%x1 = OpBitcastExtractEXT %e2m1 %signed %o1
%x2 = OpBitcastExtractEXT %e2m3 %short %narrow
%x3 = OpBitcastExtractEXT %e3m2x2 %pair %o4
%f1 = OpFConvert %f32 %x1
%f2 = OpFConvert %f32 %x2
%f3 = OpFConvert %f32x2 %x3
%all = OpCompositeConstruct %f32x4 %f1 %f2 %f3
%at_b = OpAccessChain %sb_f32x4 %b %c_0 %i
OpStore %at_b %all
)";
    Rng rng("Integers");
    const size_t lanes = Context::get().subgroupSize;
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(lanes * 4), Bytes(lanes * 16)};
    expectAsReference(assemble(assembly), dispatch);
}

TEST(Microscaling, SpecializationConstants) {
    COOPVK_REQUIRE(Requirement::kMicroscaling);
    const Words words = compileGlsl(microscalingHeader() + R"(
layout(constant_id = 1) const floate2m1_t kOne = floate2m1_t(1.5);
layout(constant_id = 2) const floate3m2_t kTwo = floate3m2_t(20.0);
layout(constant_id = 3) const floatue8m0_t kThree = floatue8m0_t(4.0);
layout(constant_id = 4) const floatmxint8_t kFour = floatmxint8_t(0.25);
layout(constant_id = 5) const floate2m3_t kFive = floate2m3_t(1.0);
layout(binding = 0) buffer B { float b[]; };
void main() {
    if (gl_LocalInvocationIndex != 0) return;
    b[0] = float(kOne); b[1] = float(kTwo); b[2] = float(kThree); b[3] = float(kFour); b[4] = float(kFive);
})");
    PipelineOptions options;
    options.specialization = {{1, 0xF, 1}, {3, 120, 1}, {4, 0x81, 1}, {5, 0x1F, 1}};
    Dispatch dispatch;
    dispatch.buffers = {Bytes(20)};
    EXPECT_EQ(run(words, dispatch, options)[0],
              toBytes({-6.0f, 20.0f, 0x1p-7f, -127.0f / 64, 7.5f}));
}

}  // namespace
}  // namespace coopvk::test::microscaling_test
