#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_prove.sh COOPVK
# `coopvk prove` proves products of matrices, and nothing that was planted.
set -euo pipefail

coopvk=$1 command=prove
# shellcheck source=check.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/check.bash"

# shader NAME FACTOR SUM [CHANGE]: a product of matrices, after which CHANGE executes.
shader() {
    cat >"$work/$1.comp" <<GLSL
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_bfloat16 : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { $2 a[512]; };
layout(binding = 1) buffer C { $3 c[1024]; };
void main() {
    coopmat<$2, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
    coopmat<$2, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
    coopmat<$3, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z;
    coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, a, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(z, c, gl_SubgroupID * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    z = coopMatMulAdd(x, y, z);
    ${4:-}
    coopMatStore(z, c, gl_SubgroupID * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
}
GLSL
    glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/$1.spv" "$work/$1.comp"
}

shader halves float16_t float
shader sums float16_t float16_t
shader shorts bfloat16_t float
shader bytes int8_t int32_t
shader twice float16_t float 'z = coopMatMulAdd(x, y, z);'
# One bit pattern in 2^32, which no sample hits.
shader pattern bfloat16_t float 'z[0] = floatBitsToUint(z[0]) == 0x4B123457u ? 1.0 : z[0];'
shader branch float16_t float 'if (a[0] > 1.0) z = z + z;'
shader loop float16_t float 'for (float i = 0.0; i < float(a[0]); i += 1.0) z = z + z;'

# Two bits of memory decide whether there is another matrix; the fault is in one case of four.
for bits in 5 4; do
    shader "cases$bits" int8_t int32_t "if ((a[0] & 5) == $bits) coopMatStore(z, c, 512, 16, gl_CooperativeMatrixLayoutRowMajor);"
done

# Numbers outside of the function's domain are not chosen.
for argument in 'z[i]' 'z[i] + z[i]'; do
    shader "root${#argument}" float16_t float \
        "for (int i = 0; i < z.length(); ++i) z[i] = mix(0.0, inversesqrt($argument), z[i] > 0.0);"
done

# ends TEXT ARGUMENT...: the last line of the command is this.
ends() {
    local text=$1 last
    shift
    last=$({ "$coopvk" prove "$@" 2>&1 || true; } | tail -n 1)
    [[ $last == "$text" ]] || fail "ends with '$last', not '$text': $*"
}

for name in halves sums shorts bytes root4; do
    expect 0 '32 lanes, GPU, core: proved' --lanes 8,32 "$work/$name.spv"
done
expect 0 '"verdict": "proved"' --json --lanes 8 "$work/bytes.spv"
# The last line is the sum of many, and there is none of one.
ends '2 of 2 proved' --lanes 8,32 --against "$work/bytes.spv" "$work/bytes.spv"
ends '0 of 2 proved; 2 differs' --lanes 8,32 --against "$work/twice.spv" "$work/halves.spv"
ends '0 of 2 proved; 2 not provable' --lanes 8,32 --back-end core "$work/loop.spv"
ends '}' --json --lanes 8,32 --against "$work/bytes.spv" "$work/bytes.spv"
says_one=$("$coopvk" prove --lanes 32 --against "$work/bytes.spv" "$work/bytes.spv")
[[ $says_one != *' of '*' proved'* ]] || fail "a sum of one: $says_one"
# What differs with any contents names none.
expect 1 '32 lanes: differs: set 0, binding 1' --lanes 32 --against "$work/twice.spv" "$work/halves.spv"
expect 1 '32 lanes: differs: with set 0, binding' --lanes 32 --against "$work/pattern.spv" "$work/shorts.spv"
expect 1 '32 lanes: differs' --lanes 32 --against "$work/root11.spv" "$work/root4.spv"
expect 0 '32 lanes, GPU, core: proved' --lanes 32 "$work/branch.spv"
expect 2 'not provable: natively: OpBranchConditional' --lanes 32 "$work/loop.spv"
expect 0 ' s, 4 cases' --lanes 32 "$work/cases5.spv"
expect 1 '32 lanes: differs' --lanes 32 --against "$work/cases4.spv" "$work/cases5.spv"
# A word of memory decides where the shader stores. A module alone has no value for it.
cat >"$work/place.comp" <<'GLSL'
#version 460
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[4]; };
layout(binding = 1) buffer C { uint c[288]; };
void main() { c[gl_LocalInvocationIndex + (a[1] & 255)] = a[0]; }
GLSL
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/place.spv" "$work/place.comp"
place=(--lanes 32 --back-end core "$work/place.spv")
expect 2 'not provable: natively: OpAccessChain' "${place[@]}"
expect 0 'core: proved for these parameters (' --parameters 4 "${place[@]}"
expect 0 '): set 0, binding 0, byte 4: ' --parameters 4 "${place[@]}"
expect 0 'set 0, binding 0, byte 4: parameters with made-up values' --parameters 4 "${place[@]}"
expect 0 '"verdict": "proved for these parameters"' --json --parameters 4 "${place[@]}"
# Contents of elements of arrays, and of what addresses point to.
for factor in 1 2; do
    cat >"$work/places$factor.comp" <<GLSL
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { uint a[32]; } from[2];
layout(binding = 1) buffer C { uint c[32]; };
layout(buffer_reference) buffer P { uint p[32]; };
layout(push_constant) uniform Push { P at; };
void main() {
    uint x = gl_LocalInvocationIndex;
    uint y = from[1].a[x] == 0x12345678u && at.p[x] == 0x9abcdef0u ? $factor : 1;
    c[x] = from[1].a[x] * y;
}
GLSL
    glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/places$factor.spv" "$work/places$factor.comp"
done
expect 1 'set 0, binding 0, element 1, byte' --lanes 32 --against "$work/places2.spv" "$work/places1.spv"
expect 1 'address 0x' --lanes 32 --against "$work/places2.spv" "$work/places1.spv"
expect 2 '--device excludes --each-class' --each-class --device rdna3 "$work/bytes.spv"
expect 0 '32 lanes, GPU, native: proved' --each-class --back-end native --lanes 32 "$work/bytes.spv"
# A proof of nothing is none.
cat >"$work/nothing.comp" <<'GLSL'
#version 460
layout(local_size_x = 32) in;
layout(binding = 0) buffer C { float c[]; };
layout(push_constant) uniform Push { uint count; };
void main() { if (gl_LocalInvocationIndex < count) c[gl_LocalInvocationIndex] = 1.0; }
GLSL
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/nothing.spv" "$work/nothing.comp"
expect 2 'not provable: the dispatch changes no memory' --lanes 32 --push 0 "$work/nothing.spv"

# pair NAME BODY OTHER [DECLARATIONS]: two shaders that are the same but for what they execute.
pair() {
    local n=0 body
    for body in "$2" "$3"; do
        n=$((n + 1))
        cat >"$work/$1$n.comp" <<GLSL
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_device_group : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_NV_shader_subgroup_partitioned : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_NV_cooperative_vector : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { float a[512]; };
layout(binding = 1) buffer R { float r[256]; };
${4:-}
void main() {
    const uint i = gl_LocalInvocationIndex;
    $body
}
GLSL
        glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/$1$n.spv" "$work/$1$n.comp"
    done
}
# proof NAME STATUS TEXT: of the second shader of the pair.
proof() { expect "$2" "$3" --lanes 32 --push 0,0,0 --against "$work/${1}2.spv" "$work/${1}1.spv"; }

# Where a module has addresses, words of 8 bytes are data all the same; what is dereferenced is named.
longs='layout(binding = 2) buffer L { uint64_t l[32]; }; layout(buffer_reference) buffer P { uint p; };'
use='P(l[0]).p = 1;'
pair longs "r[i] = float(uint(l[i] >> 32)); if (i == 77) $use" "r[i] = l[i] == 0x123456789ul ? 0.0 : float(uint(l[i] >> 32)); if (i == 77) $use" "$longs"
proof longs 1 'differs: with set 0, binding 2'
pair address "if (i == 0) $use" "if (i == 0) $use" "$longs"
proof address 0 'set 0, binding 2, bytes 0 to 7'
# What is written as integers has bits, also where another variable of its binding has floats.
pair bits 'w[i] = floatBitsToUint(a[i]) | 0x7FC00000u;' 'w[i] = (floatBitsToUint(a[i]) | 0x7FC00000u) ^ 1u;' \
    'layout(binding = 1) buffer W { uint w[256]; };'
proof bits 2 'not shown to be the same'
# Promises that nothing shows to hold.
pair promise 'for (uint n = 0; n < 4; ++n) r[i] += a[n];' '[[max_iterations(2)]] for (uint n = 0; n < 4; ++n) r[i] += a[n];'
proof promise 2 'rewritten: it promises MaxIterations 2, and no proof sees that it keeps that'
# Clocks and devices give other numbers elsewhere.
pair clock 'r[i] = i == 77 ? float(clockRealtime2x32EXT().y) : a[i];' 'uvec2 c = clockRealtime2x32EXT(); r[i] = c.y == 0xFFFFFFFFu ? 0.0 : a[i];'
proof clock 2 'not shown to be the same'
pair device 'r[i] = i == 77 ? float(gl_DeviceIndex) : a[i];' 'r[i] = gl_DeviceIndex == 0 ? a[i] : 0.0;'
proof device 2 'not shown to be the same'
pair devices 'r[i] = a[i] + float(gl_DeviceIndex);' 'r[i] = float(gl_DeviceIndex) + a[i];'
proof devices 0 'proved'
pair lanes 'r[i] = a[i ^ 1];' 'r[i] = subgroupShuffleXor(a[i], 1);'
proof lanes 0 '; invocations are lanes in their order'
# Each use of matrices may have another layout of elements; lanes may hold more than their share.
load='coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x; coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z;
    coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);'
moved='for (int k = 0; k < z.length(); ++k) z[k] = x[k]; coopMatStore(z, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);'
pair elements "$load coopMatStore(x, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);" "$load $moved"
proof elements 2 'not provable: with another layout of elements: '
expect 0 'matrices have this layout of elements' --lanes 32 --against "$work/elements2.spv" "$work/elements2.spv"
pair length "$load r[i] = float(x.length());" 'r[i] = 8.0;'
proof length 2 'not provable: with another layout of elements: '
# So may a parameter.
copy='for (uint n = 0; n < 256; ++n) r[n] = a[n];'
pair parameter "uint k = w[3]; if (i == 0) $copy" "$load uint k = x.length() == 8 ? 0 : w[0] & 255;
    if (i == 0) { r[k] = 5.0; $copy }" 'layout(binding = 2) buffer W { uint w[4]; };'
expect 0 'proved for these parameters (' --lanes 32 --parameters 4 --against "$work/parameter2.spv" "$work/parameter1.spv"
expect 2 'not provable: with another layout of elements: ' --lanes 32 --against "$work/parameter2.spv" "$work/parameter1.spv"
# Lines of matrices begin at multiples of 16 bytes; who does not keep this may be copied.
line='coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z;
    coopMatLoad(z, a, 1, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(z, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);'
pair line 'for (uint k = i; k < 256; k += 32) r[k] = a[k + 1];' "$line"
proof line 2 'byte 4 of a buffer, which is not a multiple of 16'
expect 0 proved --lanes 32 --against "$work/line2.spv" "$work/line2.spv"
# What a precision is inherited from may stand for the function: this is no difference.
pair mix 'r[i] = mix(a[i], a[i + 32], a[i + 64]);' 'r[i] = a[i] * (1.0 - a[i + 64]) + a[i + 32] * a[i + 64];'
proof mix 2 'not provable'
v='vec3 v = vec3(a[i], a[i + 32], a[i + 64]), w = vec3(a[i + 96], a[i + 128], a[i + 160]);'
pair cross "$v r[i] = cross(v, w).x;" "$v r[i] = v.y * w.z - v.z * w.y;"
proof cross 2 'not provable'
# What a list has of an input is of one kind of interpolation.
for kind in '' flat; do
    cat >"$work/input$kind.frag" <<GLSL
#version 460
layout(location = 0) $kind in vec4 x;
layout(location = 0) out vec4 r;
void main() { r = x + x; }
GLSL
    glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/input$kind.spv" "$work/input$kind.frag"
done
expect 0 proved --lanes 32 --back-end core "$work/inputflat.spv"
expect 2 'input 0, component 0 is not Flat, as it is in the original' --lanes 32 --against "$work/input.spv" "$work/inputflat.spv"
# A mode that decides which invocations are executed, or when they meet, is that of the original.
for mode in '' 'layout(early_fragment_tests) in;'; do
    cat >"$work/early${mode:+s}.frag" <<GLSL
#version 460
$mode
layout(location = 0) in vec4 x;
layout(location = 0) out vec4 r;
void main() { r = x + x; }
GLSL
    glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/early${mode:+s}.spv" "$work/early${mode:+s}.frag"
done
expect 0 proved --lanes 32 --against "$work/earlys.spv" "$work/earlys.spv"
expect 2 'it has no EarlyFragmentTests as the original has' --lanes 32 --against "$work/early.spv" "$work/earlys.spv"
expect 2 'it has EarlyFragmentTests, which the original has not' --lanes 32 --against "$work/earlys.spv" "$work/early.spv"
# dFdx() is that of a quad's row or of its first one, also of what is known.
for kind in '' Fine; do
    cat >"$work/derivative$kind.frag" <<GLSL
#version 460
layout(location = 0) in float x;
layout(location = 0) out float r;
void main() { r = x * dFdx$kind(gl_FragCoord.x * gl_FragCoord.y); }
GLSL
    glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/derivative$kind.spv" "$work/derivative$kind.frag"
done
expect 0 proved --lanes 32 --back-end core "$work/derivative.spv"
expect 2 'not shown to be the same' --lanes 32 --against "$work/derivative.spv" "$work/derivativeFine.spv"
# No other contents of uniform buffers are tried, and no buffer shares memory with another one.
pair uniforms 'r[i] = a[i] * k;' 'r[i] = k * a[i];' 'layout(binding = 2) uniform K { float k; };'
proof uniforms 0 '; uniform buffers and push constants have made-up values'
pair aliased 'r[i] = a[i];' 'r[i] = a[i];'
spirv-dis --raw-id "$work/aliased1.spv" | sed 's/^ *OpDecorate \(%[0-9]*\) Binding .*/&\nOpDecorate \1 Aliased/' |
    spirv-as --target-env spv1.6 -o "$work/aliased1.spv" -
cp "$work/aliased1.spv" "$work/aliased2.spv"
proof aliased 0 '; descriptors share no memory, although they may'

# What is declared, and no rule knows, is that of the original.
pair stores 'r[i] = a[i];' 'r[i] = a[i]; r[i + 32] = r[i + 32];'
proof stores 2 'rewritten: it stores set 0, binding 1, byte 128, which the original does not'
# Of words that it stores in part, the rest may be stored again.
bytes='layout(binding = 2) buffer B { uint8_t b[128]; }; layout(binding = 2) buffer W { uint w[32]; };'
pair rests 'b[i * 4] = uint8_t(i);' 'w[i] = w[i] & 0xFFFFFF00 | uint(uint8_t(i));' "$bytes"
proof rests 0 '; the rest of a word that is stored in part changes by this dispatch alone'
pair changed 'b[i * 4] = uint8_t(i);' 'w[i] = w[i] & 0xFFFEFF00 | uint(uint8_t(i));' "$bytes"
proof changed 2 'rewritten: it stores set 0, binding 2, byte 2, which the original does not'
pair shared 'b[i * 2] = uint8_t(i);' 'const uint s = i % 2 * 16; w[i / 2] = w[i / 2] & ~(255 << s) | i << s;' "$bytes"
proof shared 1 'rewritten: races'
pair kind 'r[i] = k;' 'r[i] = k;' 'layout(binding = 2) buffer K { float k; };'
sed -i 's/) buffer K/) uniform K/' "$work/kind2.comp"
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/kind2.spv" "$work/kind2.comp"
proof kind 2 'rewritten: set 0, binding 2 is of another kind than in the original'
expect 2 'rewritten: set 0, binding 2 is of another kind' --lanes 32 --against "$work/kind1.spv" "$work/kind2.spv"
pair binding 'r[i] = a[i];' 'r[i] = a[i] + min(max(k, 0.0), 0.0);' 'layout(binding = 2) buffer K { float k; };'
sed -i '/buffer K/d' "$work/binding1.comp"
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/binding1.spv" "$work/binding1.comp"
proof binding 2 'rewritten: it has set 0, binding 2, which the original has not'
pair more 'r[i] = k.x;' 'r[i] = k.x;' 'layout(push_constant) uniform K { vec2 k; };'
sed -i 's/vec2 k/vec3 k/' "$work/more2.comp"
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/more2.spv" "$work/more2.comp"
proof more 2 'rewritten: it has push constants that the original has not'
expect 0 proved --lanes 32 --push 0,0,0 --against "$work/more1.spv" "$work/more2.spv"
# decorated NAME TARGET DECORATION: the second module is the first one, of which this is said.
decorated() {
    spirv-dis --raw-id "$work/${1}1.spv" | sed "s/^ *OpDecorate \(%[0-9]*\) $2\( .*\)\?$/&\nOpDecorate \1 $3/" |
        spirv-as --target-env spv1.6 -o "$work/${1}2.spv" -
}
# says NAME TEXT, lacks NAME TEXT: either module in place of the other one.
says() { expect 2 "$2" --lanes 32 --against "$work/${1}2.spv" "$work/${1}1.spv"; }
lacks() { expect 2 "$2" --lanes 32 --against "$work/${1}1.spv" "$work/${1}2.spv"; }
pair said 'r[i] = a[i];' 'r[i] = a[i];'
sed -i '/^#pragma/d' "$work/said1.comp"
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/said1.spv" "$work/said1.comp"
for decoration in Restrict Coherent Volatile Aliased; do
    decorated said 'Binding 1' "$decoration"
    case $decoration in
    Restrict) says said "set 0, binding 1 is $decoration, which it is not in the original" ;;
    *) lacks said "set 0, binding 1 is not $decoration, as it is in the original" ;;
    esac
done
cat >"$work/vertex1.vert" <<'GLSL'
#version 460
layout(location = 0) in vec4 x;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 32) out vec4 r;
void main() { r = x + x; gl_Position = x; }
GLSL
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/vertex1.spv" "$work/vertex1.vert"
expect 0 proved --lanes 32 --back-end core "$work/vertex1.spv"
sed 's/xfb_offset = 0/xfb_offset = 16/' "$work/vertex1.vert" >"$work/vertex2.vert"
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/vertex2.spv" "$work/vertex2.vert"
says vertex 'output 0, component 0 is not Offset 0, as it is in the original'
sed 's/void main/invariant gl_Position; &/' "$work/vertex1.vert" >"$work/vertex2.vert"
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/vertex2.spv" "$work/vertex2.vert"
lacks vertex 'member 3: BuiltIn 4 is of another kind than in the original'

# Lanes that part meet where the text promises it: not in a selection into which some did not go.
elects='r[i] = subgroupElect() ? x : 0.0;'
pair apart "if (i < 24) { float x = a[i]; $elects }" "if (i < 24) { float x = a[i]; if (i % 2 != 0) x = a[i]; $elects }"
proof apart 1 'differs'
expect 0 '; lanes that part meet at merge blocks' --lanes 32 --against "$work/apart2.spv" "$work/apart2.spv"
pair together "float x = a[i]; $elects" "float x = a[i]; if (i % 2 != 0) x = a[i]; $elects"
proof together 0 'proved'
pair called "float x = early(a[i], i); $elects" "float x = early(a[i], i); $elects" \
    'float early(float x, uint i) { if (i % 2 != 0) return x; return x * 2.0; }'
proof called 0 '; lanes that part meet at merge blocks'
# What is NonWritable is not written, by another variable that is not either.
pair once 'r[i] = a[i] + t[i + 32];' 'r[i] = a[i];' 'layout(binding = 1) readonly buffer T { float t[]; };'
decorated once 'Binding 1' NonWritable
spirv-dis --raw-id "$work/once2.spv" | awk '!/ NonWritable/ || !seen[$0]++' |
    spirv-as --target-env spv1.6 -o "$work/once2.spv" -
expect 2 'it accesses what is NonWritable or NonReadable' --lanes 32 --against "$work/once2.spv" "$work/once1.spv"
# Without NonReadable a buffer promises less; where a variable has it, no other one reads. Of images Vulkan asks for it.
readable() {
    pair readable1 "$2" '' "layout(binding = 2${1/\|*/}) writeonly ${1/*\|/}"
    pair readable2 "$3" '' "$4"
    mv "$work/readable11.spv" "$work/readable1.spv"
    mv "$work/readable21.spv" "$work/readable2.spv"
}
o='buffer O { float o[32]; };'
readable "|$o" 'o[i] = a[i];' 'o[i] = a[i];' "layout(binding = 2) $o"
proof readable 0 proved
readable "|$o" 'o[i] = a[i];' 'float x = p[i]; o[i] = a[i];' "layout(binding = 2) writeonly $o layout(binding = 2) buffer P { float p[32]; };"
proof readable 2 'set 0, binding 2 is not NonReadable'
readable ', r32f|uniform image2D o;' 'r[i] = a[i];' 'r[i] = a[i];' 'layout(binding = 2, r32f) uniform image2D o;'
proof readable 2 'set 0, binding 2 is not NonReadable'
# What moves a pointer may leave its array, of which no execution sees the end.
pair moved 'r[i] = a[i];' 'r[i] = a[i];'
pointer=%_ptr_StorageBuffer_float
spirv-dis "$work/moved2.spv" | awk -v p="$pointer" '/OpCapability Shader/ { $0 = $0 "\nOpCapability VariablePointersStorageBuffer" }
    /OpDecorate/ && !done { done = 1; $0 = $0 "\nOpDecorate " p " ArrayStride 4" }
    seen && /OpLoad %float/ { sub(seen, "%moved") } 1
    / = OpAccessChain/ && !seen { seen = $1; print "%moved = OpPtrAccessChain " p " " seen " %int_0" }' |
    spirv-as --target-env spv1.6 -o "$work/moved3.spv" -
expect 0 '; pointers that are moved stay in their arrays' --lanes 32 --against "$work/moved3.spv" "$work/moved1.spv"
! "$coopvk" prove --lanes 32 --against "$work/moved2.spv" "$work/moved1.spv" | grep 'pointers that are moved' || fail 'none is moved'
# Outputs that nothing writes are undefined.
sed 's/r = x + x/r = vec4(0)/' "$work/vertex1.vert" >"$work/zero1.vert"
sed 's/r = vec4(0);//' "$work/zero1.vert" >"$work/zero2.vert"
for n in 1 2; do glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/zero$n.spv" "$work/zero$n.vert"; done
says zero 'rewritten: it does not store Output 0, byte 0, which the original does'
# An access chain that is out of bounds, from which nothing is loaded.
pair chain 'r[i] = a[i];' 'float v[4] = float[](1.0, 2.0, 3.0, 4.0); float x = v[i & 3]; r[i] = a[i];'
proof chain 0 proved
sed -i 's/i & 3/i/' "$work/chain2.comp"
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/chain2.spv" "$work/chain2.comp"
spirv-dis "$work/chain2.spv" |
    awk '/OpAccessChain %_ptr_Function_float/ { v = $1 } v != "" && $4 == "%float" && $5 == v { $3 = "OpUndef"; $5 = "" } 1' |
    spirv-as --target-env spv1.6 -o "$work/chain2.spv" -
proof chain 2 'rewritten: OpAccessChain'
# What is taken for granted is printed.
pair range 'r[i] = a[i];' 'r[i] = int(a[i]) * 0 == 0 ? a[i] : 0.0;'
proof range 0 '; floats are in the range of the integers that they become'
pair changing 'r[i] = v;' 'r[i] = v;' 'layout(binding = 2) volatile buffer V { float v; };'
proof changing 0 '; Volatile memory changes by accesses alone'
cat >"$work/patch.tesc" <<'GLSL'
#version 450
layout(vertices = 3) out;
layout(location = 0) in float x[];
layout(location = 0) out float r[];
void main() { r[gl_InvocationID] = x[gl_InvocationID] + 1.0; }
GLSL
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/patch.spv" "$work/patch.tesc"
expect 0 '; outputs that invocations share have no races, and are set up before they are written' --lanes 32 --against "$work/patch.spv" "$work/patch.spv"
# Where lanes are apart, a device may let them meet.
for body in 'r[i] = 16;' 'uint z = 0; if (i < 16) z = a[i]; r[i] = subgroupBallotBitCount(subgroupBallot(true)) + 0 * z;'; do
    n=$([[ $body == r* ]] && echo 1 || echo 2)
    cat >"$work/met$n.comp" <<GLSL
#version 460
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[64]; };
layout(binding = 1) buffer R { uint r[64]; };
void main() { const uint i = gl_LocalInvocationIndex; if (i < 32) { $body } else { r[i] = a[i]; } }
GLSL
    glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/met$n.spv" "$work/met$n.comp"
done
proof met 1 'differs'
# Each way of a choice has one descriptor in all lanes, or the pointer is NonUniform; two of an array may be one buffer.
data='layout(binding = 2) buffer D { float x[]; } d[2];'
pair way 'r[i] = d[nonuniformEXT(floatBitsToUint(a[i]) & 1)].x[i];' 'r[i] = d[floatBitsToUint(a[i]) & 1].x[i];' "$data"
proof way 1 'differs'
expect 0 '; descriptors share no memory, although they may' --lanes 32 --against "$work/way1.spv" "$work/way1.spv"
# Subgroups of a workgroup may be more than it needs.
cat >"$work/full.comp" <<'GLSL'
#version 460
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer R { uint r[2]; };
void main() { if (subgroupElect()) r[gl_SubgroupID] = subgroupBallotBitCount(subgroupBallot(true)); }
GLSL
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/full.spv" "$work/full.comp"
expect 0 '; invocations are lanes in their order' --lanes 32 --against "$work/full.spv" "$work/full.spv"
pair cluster 'r[i] = subgroupAdd(a[i]);' 'r[i] = subgroupClusteredAdd(a[i], 64);'
proof cluster 1 'a cluster is larger than the subgroup'
# A function of elements that tells how often it was called.
of='coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>'
pair calls "$of m = $of(1.0), n; coopMatPerElementNV(n, m, counted); coopMatStore(n, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);" \
    "$of m = $of(1.0); coopMatStore(m, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);" \
    'float calls = 0.0; float counted(const in uint row, const in uint column, const in float x) { calls += 1.0; return x; }'
proof calls 0 '; matrices have this layout of elements'
pair votes "$of m = $of(1.0), n; coopMatPerElementNV(n, m, voted); coopMatStore(n, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);" \
    "$of m = $of(1.0); coopMatStore(m, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);" \
    'float voted(const in uint row, const in uint column, const in float x) { return subgroupElect() ? x : x * 1.0; }'
proof votes 0 '; matrices have this layout of elements'
# Modes of floats, barriers, and inputs that ask for samples.
pair modes 'r[i] = a[i] + a[31 - i];' 'r[i] = a[i] + a[31 - i];'
for mode in RoundingModeRTE DenormFlushToZero; do
    spirv-dis --raw-id "$work/modes1.spv" | sed "0,/OpCapability/s//OpCapability $mode\n&/; s/^ *OpExecutionMode \(%[0-9]*\) LocalSize .*/&\nOpExecutionMode \1 $mode 32/" |
        spirv-as --target-env spv1.6 -o "$work/$mode.spv" -
    expect 2 "it has no $mode as the original has" --lanes 32 --against "$work/modes2.spv" "$work/$mode.spv"
done
expect 0 '; denormals are flushed where the reference device flushes them' --lanes 32 --against "$work/DenormFlushToZero.spv" "$work/DenormFlushToZero.spv"
pair fences 's[i] = a[i]; memoryBarrierShared(); barrier(); r[i] = s[31 - i];' 'r[i] = a[31 - i];' 'shared float s[32];'
sed -i '/^#pragma/d' "$work/fences1.comp"
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/fences1.spv" "$work/fences1.comp"
expect 0 '; control barriers acquire what memory barriers before them released' --lanes 32 --against "$work/fences1.spv" "$work/fences1.spv"
for n in 1 2; do
    printf '#version 460\nlayout(location = 0) in float x;\nlayout(location = 0) out float r;\nvoid main() { r = x%s; }\n' \
        "$([ $n = 1 ] && echo ' + float(gl_SampleID & 0)')" >"$work/samples$n.frag"
    glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/samples$n.spv" "$work/samples$n.frag"
done
expect 2 'rewritten: it lacks the input of built-in 18' --lanes 32 --against "$work/samples2.spv" "$work/samples1.spv"
# Matrices where a row of the workgroup is no subgroup.
pair rows 'r[i] = a[i];' "$of m = $of(1.0); r[i] = a[i];"
sed -i 's/local_size_x = 32/local_size_x = 8, local_size_y = 4/' "$work/rows"[12].comp
for n in 1 2; do glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/rows$n.spv" "$work/rows$n.comp"; done
proof rows 2 'a row of invocations is not whole subgroups'
# The second memory operands of a copy.
pair copied 'r[i] = a[i];' 'r[i] = a[i];'
spirv-dis --raw-id "$work/copied1.spv" |
    awk '$3 == "OpLoad" { from[$1] = $5 } $1 == "OpStore" && ($3 in from) { print "OpCopyMemory", $2, from[$3], "Aligned 4 Aligned 4096"; next } 1' |
    spirv-as --target-env spv1.6 -o "$work/copied2.spv" -
proof copied 2 'rewritten: an access is Aligned 4096'
# A device may not have such matrices.
pair sizes "$of m = $of(1.0); r[i] = a[i];" "${of/16, 16/8, 8} m = ${of/16, 16/8, 8}(1.0); r[i] = a[i];"
proof sizes 0 '; the device has all that the module needs'
# Vulkan, VUID-RuntimeSpirv-OpCooperativeVectorLoadNV-10099
pair vector 'coopvecNV<float, 4> v; coopVecLoadNV(v, a, 16 * i); r[i] = v[1];' \
    'coopvecNV<float, 4> v; coopVecLoadNV(v, a, 16 * i + 4); r[i] = v[0];'
proof vector 2 'an offset of 4 bytes, which is not a multiple of 16'
pair volatile "$of m; coopMatLoad(m, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor); coopMatStore(m, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);" 'r[i] = a[i];'
spirv-dis --raw-id "$work/volatile1.spv" | sed '/OpCooperativeMatrixLoadKHR/s/None$/Volatile/' |
    spirv-as --target-env spv1.6 -o "$work/volatile1.spv" -
expect 0 '; Volatile memory changes by accesses alone' --lanes 32 --against "$work/volatile1.spv" "$work/volatile1.spv"
# A descriptor that nothing accesses need not be valid.
pair unused 'r[i] = a[i] + x[min(i, 0)] * 0.0;' 'r[i] = a[i] + x[min(i, 0)] * 0.0; float z = y;' \
    'layout(binding = 2) buffer X { float x[]; }; layout(binding = 3) buffer Y { float y; };'
proof unused 2 'rewritten: it accesses set 0, binding 3, which the original does not'
# SPV_NV_shader_subgroup_partitioned
pair parts 'r[i] = subgroupPartitionedAddNV(a[i], uvec4(3u << (i & 30u), 0, 0, 0));' \
    'r[i] = subgroupPartitionedAddNV(a[i], uvec4(i < 31 ? 3u << i : 1u << i, 0, 0, 0));'
proof parts 1 'ballots that are no partition'
pair lengths 'r[i] = i < x.length() ? x[i] : 0.0;' 'r[i] = i < x.length() ? x[i] : 0.0;' 'layout(binding = 2) buffer X { float x[]; };'
proof lengths 0 '; sizes, workgroups and specialization constants are those of this dispatch'
expect 0 '; descriptors and variables start where matrices, vectors and aligned accesses may' --lanes 32 --against "$work/vector1.spv" "$work/vector1.spv"
# What an original promises of its loops, another loop need not keep; the rewriter drops it.
pair kept "[[max_iterations(4)]] for (uint n = 0; n < 4; ++n) r[i] += a[n];" \
    "[[max_iterations(4)]] for (uint n = 0; n < 8; ++n) r[i] += n % 2 == 0 ? a[n / 2] : 0.0;"
proof kept 2 'it promises MaxIterations 4, and no proof sees that it keeps that'
pair loops "$of m; [[max_iterations(2)]] for (uint n = 0; n < 2; ++n) { coopMatLoad(m, a, n, 16, gl_CooperativeMatrixLayoutRowMajor); coopMatStore(m, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor); }" 'r[i] = a[i];'
expect 0 proved --lanes 32 --back-end core "$work/loops1.spv"
# Accesses, scopes and entry points.
pair aligned 'r[i] = a[i];' 'P(l[0]).p = a[i];' \
    'layout(buffer_reference, buffer_reference_align = 4096) buffer P { float p; }; layout(binding = 2) buffer L { uint64_t l[32]; };'
spirv-dis --raw-id "$work/aligned1.spv" | sed 's/\(OpStore .*\) NonPrivatePointer.*/\1/; /OpStore %[0-9]* %[0-9]*$/{/ %i$/!s/$/ Aligned 4096/}' |
    spirv-as --target-env spv1.6 -o "$work/aligned2.spv" -
proof aligned 2 'rewritten: an access is Aligned 4096, and none of the original'
shared='shared float s[32];'
pair scope 's[i] = a[i]; barrier(); r[i] = s[31 - i];' \
    's[i] = a[i]; controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease); r[i] = s[31 - i];' "$shared"
proof scope 0 '; invocations are lanes in their order'
pair others 'r[i] = a[i];' 'r[i] = a[i];'
spirv-dis --raw-id "$work/others1.spv" | sed 's/^ *OpEntryPoint GLCompute \(%[0-9]*\) "main"\(.*\)/&\nOpEntryPoint GLCompute \1 "other"\2/; s/^ *OpExecutionMode.*LocalSize .*/&/' |
    spirv-as --target-env spv1.6 -o "$work/others2.spv" -
proof others 0 '; of the entry points, only this one is proved'
# Constants without a certain value.
pair constant 'r[i] = a[i];' 'r[i] = a[i] + float(5u >> k) * 0.0;' 'layout(constant_id = 0) const uint k = 40;'
proof constant 2 'rewritten: an OpSpecConstantOp has no value, or no certain one'
# A descriptor is one in the workgroup, not in each subgroup.
cat >"$work/group1.comp" <<'GLSL'
#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer D { float x[]; } d[2];
layout(binding = 1) buffer R { float r[64]; };
void main() { const uint i = gl_LocalInvocationIndex; r[i] = d[nonuniformEXT(i >> 5)].x[i]; }
GLSL
sed 's/nonuniformEXT//' "$work/group1.comp" >"$work/group2.comp"
for n in 1 2; do glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/group$n.spv" "$work/group$n.comp"; done
says group 'it accesses another descriptor than another subgroup does, and the pointer is not NonUniform'
# A function of elements that gets the lane's number through what it calls.
pair lane "float lane = float(gl_SubgroupInvocationID); own = lane; $of m = $of(1.0), n; coopMatPerElementNV(n, m, through); coopMatStore(n, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);" \
    "$of m = $of(1.0); coopMatStore(m, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);" \
    'float own; float held(inout float x) { return x * 0.0; } float through(const in uint row, const in uint column, const in float x) { return x + held(own); }'
expect 0 '; matrices have this layout of elements' --lanes 32 --against "$work/lane1.spv" "$work/lane1.spv"
pair given "float lane = float(gl_SubgroupInvocationID); $of m = $of(1.0), n; coopMatPerElementNV(n, m, with, lane); coopMatStore(n, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);" \
    "$of m = $of(1.0); coopMatStore(m, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);" \
    'float with(const in uint row, const in uint column, const in float x, const in float lane) { return x + lane * 0.0; }'
expect 0 '; matrices have this layout of elements' --lanes 32 --against "$work/given1.spv" "$work/given1.spv"
# Cooperative vectors at descriptors.
pair vectorway 'coopvecNV<float, 4> v; coopVecLoadNV(v, d[nonuniformEXT(i & 1)].x, 16 * i); r[i] = v[1];' \
    'coopvecNV<float, 4> v; coopVecLoadNV(v, d[i & 1].x, 16 * i); r[i] = v[1];' "$data"
proof vectorway 2 'natively: uniformity: accesses another descriptor than lane 0'
# SPV_NV_cooperative_vector: "the matrix and bias values must not be modified while a shader might be using them".
multiplied() {
    echo "coopvecNV<float, 4> v, w; coopVecLoadNV(v, a, 0); $1
        coopVecMatMulNV(w, v, gl_ComponentTypeFloat32NV, $2, gl_ComponentTypeFloat32NV, 4, 4, gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 16); r[0] = w[0];"
}
copied='for (uint n = 128; n < 144; ++n) r[n] = a[n];'
pair weights "if (i == 0) { $(multiplied "$copied" 'a, 512') }" "if (i == 0) { $(multiplied "$copied" 'r, 512') }"
proof weights 2 'a matrix or a bias that the dispatch has changed'
