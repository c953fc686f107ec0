// SPDX-License-Identifier: Apache-2.0
//
// VK_NV_cooperative_matrix: every advertised product, loads and stores, and what only assembly can
// say.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/nv.hpp"

namespace coopvk::test {
namespace {

// ---------------------------------------------------------------------------------------------
// Products

struct Types {
    Component a, b, c, d;
};
constexpr Types kTypes[] = {
    {Component::kF16, Component::kF16, Component::kF32, Component::kF32},
    {Component::kF16, Component::kF16, Component::kF16, Component::kF16},
    {Component::kS8, Component::kS8, Component::kS32, Component::kS32},
    {Component::kU8, Component::kU8, Component::kU32, Component::kU32},
    {Component::kF32, Component::kF32, Component::kF32, Component::kF32},
};

bool hasTypes(const VkCooperativeMatrixPropertiesNV& shape, const Types& t) {
    const auto is = [](VkComponentTypeNV type, Component component) {
        return static_cast<uint32_t>(type) == static_cast<uint32_t>(component);
    };
    return is(shape.AType, t.a) && is(shape.BType, t.b) && is(shape.CType, t.c) &&
           is(shape.DType, t.d);
}

// NVIDIA's sizes, where they are listed for these types, and the first listed one.
std::vector<VkCooperativeMatrixPropertiesNV> shapesOf(const Types& types) {
    std::vector<VkCooperativeMatrixPropertiesNV> shapes;
    for (const VkCooperativeMatrixPropertiesNV& shape : Context::get().nvShapes) {
        if (!hasTypes(shape, types)) continue;
        const uint32_t sizes[] = {shape.MSize, shape.NSize, shape.KSize};
        constexpr uint32_t kNvidia[][3] = {
            {16, 16, 16}, {16, 8, 16}, {16, 8, 8}, {16, 16, 32}, {16, 8, 32}};
        const bool known = std::ranges::any_of(
            kNvidia, [&](const auto& size) { return std::ranges::equal(size, sizes); });
        if (shapes.empty() || known) shapes.push_back(shape);
    }
    return shapes;
}

class NvMulAdd : public testing::TestWithParam<Types> {};

TEST_P(NvMulAdd, MatchesReference) {
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    const Types& t = GetParam();
    const std::vector<VkCooperativeMatrixPropertiesNV> shapes = shapesOf(t);
    ASSERT_FALSE(shapes.empty());
    for (const VkCooperativeMatrixPropertiesNV& shape : shapes) {
        const uint32_t m = shape.MSize, n = shape.NSize, k = shape.KSize;
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k));
        Rng rng("NvMulAdd");
        const Matrix a = randomMatrix(rng, t.a, m, k, Fill::kUnit);
        const Matrix b = randomMatrix(rng, t.b, k, n, Fill::kUnit);
        const Matrix c = randomMatrix(rng, t.c, m, n, Fill::kUnit);
        const std::string source =
            nv::header() + glsl::buffer(0, "a", glsl::scalar(t.a)) +
            glsl::buffer(1, "b", glsl::scalar(t.b)) + glsl::buffer(2, "c", glsl::scalar(t.c)) +
            glsl::buffer(3, "d", glsl::scalar(t.d)) + "void main() {\n" + nv::matrix(t.a, m, k) +
            " A;\n" + nv::matrix(t.b, k, n) + " B;\n" + nv::matrix(t.c, m, n) + " C;\n" +
            "coopMatLoadNV(A, a, 0, " + std::to_string(k) + ", false);\n" +
            "coopMatLoadNV(B, b, 0, " + std::to_string(n) + ", false);\n" +
            "coopMatLoadNV(C, c, 0, " + std::to_string(n) + ", false);\n" + nv::matrix(t.d, m, n) +
            " D = coopMatMulAddNV(A, B, C);\n" + "coopMatStoreNV(D, d, 0, " + std::to_string(n) +
            ", false);\n}\n";
        Dispatch dispatch;
        dispatch.buffers = {pack(a), pack(b), pack(c), rng.bytes(size_t{m} * n * info(t.d).bytes)};
        const std::vector<Bytes> after = run(compileGlsl(source), dispatch);
        const Product want = mulAdd(a, b, c, t.d, signOperands(t.a, t.b, t.c, t.d), false);
        EXPECT_EQ(difference(unpack(t.d, m, n, after[3]), want), "");
    }
}

std::string typesName(const testing::TestParamInfo<Types>& info) {
    const Types& t = info.param;
    return std::string(name(t.a)) + "_" + std::string(name(t.b)) + "_" + std::string(name(t.c));
}
INSTANTIATE_TEST_SUITE_P(Glsl, NvMulAdd, testing::ValuesIn(kTypes), typesName);

TEST(NvMatrix, ListsNvidiasShapesFirst) {
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    const auto lists = [](const Types& types, uint32_t m, uint32_t n, uint32_t k) {
        return std::ranges::any_of(
            Context::get().nvShapes, [&](const VkCooperativeMatrixPropertiesNV& shape) {
                return hasTypes(shape, types) && shape.MSize == m && shape.NSize == n &&
                       shape.KSize == k && shape.scope == VK_SCOPE_SUBGROUP_NV;
            });
    };
    for (const Types& types : {kTypes[0], kTypes[1]}) {
        EXPECT_TRUE(lists(types, 16, 16, 16));
        EXPECT_TRUE(lists(types, 16, 8, 16));
        EXPECT_TRUE(lists(types, 16, 8, 8));
    }
    for (const Types& types : {kTypes[2], kTypes[3]}) {
        EXPECT_TRUE(lists(types, 16, 16, 32));
        EXPECT_TRUE(lists(types, 16, 8, 32));
    }
}

// ---------------------------------------------------------------------------------------------
// Loads and stores

struct AccessCase {
    std::string name;
    Component component;
    uint32_t rows, columns;
    std::string pointee;  // GLSL
    uint32_t pointeeBytes;
    bool loadColumnMajor, storeColumnMajor;
    uint32_t extraStride;  // in pointees, beyond the length of a line
    bool shared = false;
};

const AccessCase kAccesses[] = {
    {"Rows", Component::kF16, 8, 8, "float16_t", 2, false, false, 0},
    {"Columns", Component::kF16, 8, 16, "float16_t", 2, true, true, 3},
    {"RowsToColumns", Component::kF32, 16, 8, "float", 4, false, true, 1},
    {"Vectors", Component::kF16, 8, 16, "uvec4", 16, false, false, 1},
    {"VectorColumns", Component::kF16, 16, 8, "uvec2", 8, true, false, 2},
    {"HalfPairs", Component::kF16, 16, 16, "uint", 4, false, true, 3},
    {"Bytes", Component::kU8, 16, 32, "uint8_t", 1, false, true, 16},
    {"BytesAsWords", Component::kS8, 16, 32, "uint", 4, false, false, 1},
    {"BytesAsVectors", Component::kS8, 32, 16, "uvec4", 16, true, true, 1},
    {"Words", Component::kS32, 8, 8, "ivec4", 16, true, false, 1},
    {"SharedRows", Component::kF16, 16, 8, "float16_t", 2, false, true, 8, true},
    {"SharedVectors", Component::kF16, 8, 16, "uvec4", 16, false, false, 1, true},
};

class NvLoadStore : public testing::TestWithParam<AccessCase> {};

TEST_P(NvLoadStore, CarriesEveryBit) {
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    const AccessCase& c = GetParam();
    Rng rng(c.name);
    const Matrix matrix = randomMatrix(rng, c.component, c.rows, c.columns, Fill::kBits);
    const auto place = [&](bool columnMajor) {
        Placement placement = tight(matrix, columnMajor);
        const size_t pointees = (placement.stride + c.pointeeBytes - 1) / c.pointeeBytes;
        placement.stride = (pointees + c.extraStride) * c.pointeeBytes;
        placement.offset = 2 * c.pointeeBytes;
        return placement;
    };
    const Placement from = place(c.loadColumnMajor), to = place(c.storeColumnMajor);
    const auto count = [&](const Placement& p) { return p.size(matrix) / c.pointeeBytes + 2; };
    const auto stride = [&](const Placement& p) {
        return std::to_string(p.stride / c.pointeeBytes);
    };
    std::string source =
        nv::header() + glsl::buffer(0, "src", c.pointee) + glsl::buffer(1, "dst", c.pointee);
    const auto shared = [&](const char* array, const Placement& p) {
        return "shared " + c.pointee + " " + array + "[" + std::to_string(count(p)) + "];\n";
    };
    const auto copy = [&](const char* out, const char* in, const Placement& p) {
        return "for (uint i = gl_LocalInvocationIndex; i < " + std::to_string(count(p)) +
               "; i += gl_WorkGroupSize.x) " + out + "[i] = " + in + "[i];\nbarrier();\n";
    };
    if (c.shared) source += shared("s", from) + shared("d", to);
    source += "layout(push_constant) uniform Push { uint n[4]; } push;\nvoid main() {\n" +
              nv::matrix(c.component, c.rows, c.columns) + " M;\n";
    if (c.shared) source += copy("s", "src", from) + copy("d", "dst", to);
    source += "coopMatLoadNV(M, " + std::string(c.shared ? "s" : "src") + ", push.n[2], " +
              stride(from) + ", " + (c.loadColumnMajor ? "true" : "false") + ");\n" +
              "coopMatStoreNV(M, " + std::string(c.shared ? "d" : "dst") + ", 2, " + stride(to) +
              ", " + (c.storeColumnMajor ? "true" : "false") + ");\n";
    if (c.shared) source += "barrier();\n" + copy("dst", "d", to);
    source += "}\n";
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(count(from) * c.pointeeBytes),
                        rng.bytes(count(to) * c.pointeeBytes)};
    dispatch.push = pushWords({0, 1, 2, 3});
    scatter(matrix, from, dispatch.buffers[0]);
    Bytes want = dispatch.buffers[1];
    scatter(matrix, to, want);
    const std::vector<Bytes> after = run(compileGlsl(source), dispatch);
    EXPECT_EQ(difference(after[1], want), "");
}

INSTANTIATE_TEST_SUITE_P(Glsl, NvLoadStore, testing::ValuesIn(kAccesses),
                         [](const testing::TestParamInfo<AccessCase>& test) {
                             return test.param.name;
                         });

// ---------------------------------------------------------------------------------------------
// Assembly

// %x, %y and %z hold the inputs, of type %T (f16, 8x8); the body defines %r.
struct AssemblyCase {
    std::string name, declarations, body, functions;
    double (*expected)(const Matrix& x, const Matrix& y, const Matrix& z, uint32_t row,
                       uint32_t column);
};

double element(const Matrix& m, uint32_t row, uint32_t column) {
    return toDouble(Component::kF16, m.at(row, column));
}
double productOf(const Matrix& a, const Matrix& b, uint32_t row, uint32_t column) {
    double sum = 0;
    for (uint32_t k = 0; k < a.columns; ++k) sum += element(a, row, k) * element(b, k, column);
    return sum;
}
double rowSum(const Matrix& a, uint32_t row) {
    double sum = 0;
    for (uint32_t k = 0; k < a.columns; ++k) sum += element(a, row, k);
    return sum;
}
double columnSum(const Matrix& b, uint32_t column) {
    double sum = 0;
    for (uint32_t k = 0; k < b.rows; ++k) sum += element(b, k, column);
    return sum;
}

const AssemblyCase kAssembly[] = {
    {"NullInEveryRole", "%null = OpConstantNull %T\n",
     "%p = OpCooperativeMatrixMulAddNV %T %null %y %z\n"
     "%q = OpCooperativeMatrixMulAddNV %T %x %null %p\n"
     "%s = OpCooperativeMatrixMulAddNV %T %x %y %null\n"
     "%r = OpFAdd %T %q %s\n",
     "",
     [](const Matrix& x, const Matrix& y, const Matrix& z, uint32_t i, uint32_t j) {
         return productOf(x, y, i, j) + element(z, i, j);
     }},
    {"CompositeConstantInEveryRole",
     "%one = OpConstant %f16 0x1p+0\n%ones = OpConstantComposite %T %one\n",
     "%p = OpCooperativeMatrixMulAddNV %T %ones %y %ones\n"
     "%q = OpCooperativeMatrixMulAddNV %T %x %ones %p\n"
     "%r = OpFAdd %T %q %ones\n",
     "",
     [](const Matrix& x, const Matrix& y, const Matrix&, uint32_t i, uint32_t j) {
         return rowSum(x, i) + columnSum(y, j) + 2;
     }},
    {"StructConstant",
     "%one = OpConstant %f16 0x1p+0\n%ones = OpConstantComposite %T %one\n"
     "%null = OpConstantNull %T\n%pair = OpTypeStruct %T %T\n%triple = OpTypeStruct %pair %T\n"
     "%pair_value = OpConstantComposite %pair %ones %null\n"
     "%triple_value = OpConstantComposite %triple %pair_value %ones\n",
     "%a = OpCompositeExtract %T %triple_value 0 0\n"
     "%c = OpCompositeExtract %T %triple_value 0 1\n"
     "%b = OpCompositeExtract %T %triple_value 1\n"
     "%p = OpCooperativeMatrixMulAddNV %T %a %y %c\n"
     "%q = OpCooperativeMatrixMulAddNV %T %x %b %p\n"
     "%r = OpFAdd %T %q %z\n",
     "",
     [](const Matrix& x, const Matrix& y, const Matrix& z, uint32_t i, uint32_t j) {
         return rowSum(x, i) + columnSum(y, j) + element(z, i, j);
     }},
    {"UndefMoves", "%pair = OpTypeStruct %T %T\n",
     "%u = OpUndef %pair\n%v = OpUndef %T\n"
     "%s = OpCompositeInsert %pair %x %u 0\n%t = OpCompositeInsert %pair %y %s 1\n"
     "%a = OpCompositeExtract %T %t 0\n%b = OpCompositeExtract %T %t 1\n"
     "%r = OpCooperativeMatrixMulAddNV %T %a %b %z\n",
     "",
     [](const Matrix& x, const Matrix& y, const Matrix& z, uint32_t i, uint32_t j) {
         return productOf(x, y, i, j) + element(z, i, j);
     }},
    {"PhisOfTwoRoles", "",
     "%is = OpIEqual %bool %subgroup %c_0\n"
     "OpSelectionMerge %merge None\nOpBranchConditional %is %left %right\n"
     "%left = OpLabel\n%l = OpCooperativeMatrixMulAddNV %T %x %y %z\nOpBranch %merge\n"
     "%right = OpLabel\nOpBranch %merge\n"
     "%merge = OpLabel\n%m = OpPhi %T %l %left %x %right\n%n = OpPhi %T %y %left %z %right\n"
     "%r = OpCooperativeMatrixMulAddNV %T %m %n %m\n",
     "",
     [](const Matrix& x, const Matrix& y, const Matrix& z, uint32_t i, uint32_t j) {
         double sum = productOf(x, y, i, j) + element(z, i, j);
         for (uint32_t k = 0; k < 8; ++k) {
             sum += (productOf(x, y, i, k) + element(z, i, k)) * element(y, k, j);
         }
         return sum;
     }},
    {"LengthInSpecConstantOp",
     "%length = OpSpecConstantOp %u32 CooperativeMatrixLengthNV %T\n"
     "%twice = OpSpecConstantOp %u32 IMul %length %c_2\n"
     "%kept_array = OpTypeArray %f16 %twice\n%fn_kept = OpTypePointer Function %kept_array\n"
     "%fn_T = OpTypePointer Function %T\n%fn_f16 = OpTypePointer Function %f16\n"
     "%kept_fn = OpTypeFunction %T %T\n",
     "%d = OpFunctionCall %T %double %x\n"
     "%r = OpCooperativeMatrixMulAddNV %T %d %y %z\n",
     // Doubles every element by way of an array.
     "%double = OpFunction %T None %kept_fn\n%in = OpFunctionParameter %T\n%d0 = OpLabel\n"
     "%kept = OpVariable %fn_kept Function\n%v = OpVariable %fn_T Function\nOpStore %v %in\n"
     "%len = OpCooperativeMatrixLengthNV %u32 %T\nOpBranch %head\n"
     "%head = OpLabel\n%i = OpPhi %u32 %c_0 %d0 %next %cont\n"
     "OpLoopMerge %done %cont None\nOpBranch %test\n"
     "%test = OpLabel\n%more = OpULessThan %bool %i %len\n"
     "OpBranchConditional %more %body %done\n"
     "%body = OpLabel\n%e = OpAccessChain %fn_f16 %v %i\n%ev = OpLoad %f16 %e\n"
     "%j = OpIAdd %u32 %i %length\n%k = OpAccessChain %fn_f16 %kept %j\n"
     "%two = OpFAdd %f16 %ev %ev\nOpStore %k %two\n%kv = OpLoad %f16 %k\nOpStore %e %kv\n"
     "OpBranch %cont\n"
     "%cont = OpLabel\n%next = OpIAdd %u32 %i %c_1\nOpBranch %head\n"
     "%done = OpLabel\n%out = OpLoad %T %v\nOpReturnValue %out\nOpFunctionEnd\n",
     [](const Matrix& x, const Matrix& y, const Matrix& z, uint32_t i, uint32_t j) {
         return 2 * productOf(x, y, i, j) + element(z, i, j);
     }},
    {"CopyMemoryAndObject",
     "%fn_T = OpTypePointer Function %T\n%pv_T = OpTypePointer Private %T\n"
     "%global = OpVariable %pv_T Private\n%fn2 = OpTypeFunction %T %T %T %T\n",
     "%r = OpFunctionCall %T %mul %x %y %z\n",
     "%mul = OpFunction %T None %fn2\n%p = OpFunctionParameter %T\n%q = OpFunctionParameter %T\n"
     "%s = OpFunctionParameter %T\n%m0 = OpLabel\n%v = OpVariable %fn_T Function\n"
     "OpStore %v %p\nOpCopyMemory %global %v\n%a = OpLoad %T %global\n%b = OpCopyObject %T %q\n"
     "%m = OpCooperativeMatrixMulAddNV %T %a %b %s\nOpReturnValue %m\nOpFunctionEnd\n",
     [](const Matrix& x, const Matrix& y, const Matrix& z, uint32_t i, uint32_t j) {
         return productOf(x, y, i, j) + element(z, i, j);
     }},
};

// Where the device has no KHR matrices, a module must not declare them.
std::string withoutKhr(const Assembly& assembly) {
    std::string text = assemblyText(assembly);
    for (const std::string_view khr :
         {"OpCapability CooperativeMatrixKHR\n", "OpExtension \"SPV_KHR_cooperative_matrix\"\n"}) {
        text.erase(text.find(khr), khr.size());
    }
    return text;
}

std::string caseText(const AssemblyCase& c) {
    Assembly assembly;
    assembly.buffers = {scalars("in_x", Component::kF16), scalars("in_y", Component::kF16),
                        scalars("in_z", Component::kF16), scalars("out_r", Component::kF16)};
    assembly.capabilities = {"CooperativeMatrixNV", "VariablePointers"};
    assembly.extensions = {"SPV_NV_cooperative_matrix"};
    if (c.name == "CopyMemoryAndObject") assembly.interfaces = {"%global"};
    assembly.declarations =
        "%T = OpTypeCooperativeMatrixNV %f16 %c_3 %c_8 %c_8\n"
        "%false = OpConstantFalse %bool\n" +
        c.declarations;
    assembly.body =
        "%subgroup = OpLoad %u32 %subgroup_id\n"
        "%px = OpAccessChain %sb_f16 %in_x %c_0 %c_0\n"
        "%py = OpAccessChain %sb_f16 %in_y %c_0 %c_0\n"
        "%pz = OpAccessChain %sb_f16 %in_z %c_0 %c_0\n"
        "%pr = OpAccessChain %sb_f16 %out_r %c_0 %c_0\n"
        "%x = OpCooperativeMatrixLoadNV %T %px %c_8 %false\n"
        "%y = OpCooperativeMatrixLoadNV %T %py %c_8 %false\n"
        "%z = OpCooperativeMatrixLoadNV %T %pz %c_8 %false\n" +
        c.body + "OpCooperativeMatrixStoreNV %pr %r %c_8 %false\n";
    assembly.functions = c.functions;
    std::string text = assemblyText(assembly);
    // Where the device has no KHR matrices, a module must not declare them.
    for (const std::string_view khr :
         {"OpCapability CooperativeMatrixKHR\n", "OpExtension \"SPV_KHR_cooperative_matrix\"\n"}) {
        text.erase(text.find(khr), khr.size());
    }
    return text;
}

class NvAssembly : public testing::TestWithParam<AssemblyCase> {};

TEST_P(NvAssembly, MatchesReference) {
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    const AssemblyCase& c = GetParam();
    Rng rng(c.name);
    Dispatch dispatch;
    std::vector<Matrix> inputs;
    for (int i = 0; i < 3; ++i) {
        inputs.emplace_back(Component::kF16, 8, 8);
        for (uint64_t& value : inputs.back().elements) {
            value = fromDouble(Component::kF16, static_cast<double>(rng.range(-2, 2)));
        }
        dispatch.buffers.push_back(pack(inputs.back()));
    }
    dispatch.buffers.push_back(rng.bytes(8 * 8 * 2));
    const std::vector<Bytes> after = run(assemble(caseText(c)), dispatch);
    Matrix want(Component::kF16, 8, 8);
    for (uint32_t i = 0; i < 8; ++i) {
        for (uint32_t j = 0; j < 8; ++j) {
            want.at(i, j) =
                fromDouble(Component::kF16, c.expected(inputs[0], inputs[1], inputs[2], i, j));
        }
    }
    EXPECT_EQ(difference(unpack(Component::kF16, 8, 8, after[3]), want), "");
}

INSTANTIATE_TEST_SUITE_P(Cases, NvAssembly, testing::ValuesIn(kAssembly),
                         [](const testing::TestParamInfo<AssemblyCase>& test) {
                             return test.param.name;
                         });

// GLSL multiplies matrices of one signedness only.
TEST(NvMatrix, SignsComeFromTheComponentTypes) {
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    constexpr Types kMixed[] = {
        {Component::kU8, Component::kS8, Component::kS32, Component::kS32},
        {Component::kS8, Component::kU8, Component::kS32, Component::kU32},
        {Component::kU8, Component::kU8, Component::kS32, Component::kS32},
    };
    constexpr uint32_t kM = 8, kN = 8, kK = 16;
    for (const Types& t : kMixed) {
        Assembly assembly;
        assembly.buffers = {scalars("in_a", t.a), scalars("in_b", t.b), scalars("in_c", t.c),
                            scalars("out_d", t.d)};
        assembly.capabilities = {"CooperativeMatrixNV"};
        assembly.extensions = {"SPV_NV_cooperative_matrix"};
        const Component types[] = {t.a, t.b, t.c, t.d};
        constexpr uint32_t kSizes[][2] = {{kM, kK}, {kK, kN}, {kM, kN}, {kM, kN}};
        assembly.declarations = "%false = OpConstantFalse %bool\n";
        std::string ids[4];
        for (int i = 0; i < 4; ++i) {
            ids[i] = "%matrix_" + std::string(name(types[i])) + "_" + std::to_string(kSizes[i][0]) +
                     "x" + std::to_string(kSizes[i][1]);
            const std::string line = ids[i] + " = OpTypeCooperativeMatrixNV " +
                                     std::string(info(types[i]).spirv) + " %c_3 " +
                                     constant(kSizes[i][0]) + " " + constant(kSizes[i][1]) + "\n";
            if (assembly.declarations.find(line) == std::string::npos)
                assembly.declarations += line;
        }
        const char* names[] = {"a", "b", "c", "d"};
        for (int i = 0; i < 4; ++i) {
            const std::string at = names[i];
            assembly.body += "%p" + at + " = OpAccessChain %sb_" + std::string(name(types[i])) +
                             (i < 3 ? " %in_" : " %out_") + at + " %c_0 %c_0\n";
            if (i < 3)
                assembly.body += "%" + at + " = OpCooperativeMatrixLoadNV " + ids[i] + " %p" + at +
                                 " " + constant(kSizes[i][1]) + " %false\n";
        }
        assembly.body += "%d = OpCooperativeMatrixMulAddNV " + ids[3] +
                         " %a %b %c\nOpCooperativeMatrixStoreNV %pd %d %c_8 %false\n";
        Rng rng("NvSigns");
        const Matrix a = randomMatrix(rng, t.a, kM, kK, Fill::kBits);
        const Matrix b = randomMatrix(rng, t.b, kK, kN, Fill::kBits);
        const Matrix c = randomMatrix(rng, t.c, kM, kN, Fill::kBits);
        Dispatch dispatch;
        dispatch.buffers = {pack(a), pack(b), pack(c), rng.bytes(kM * kN * 4)};
        const std::vector<Bytes> after = run(assemble(withoutKhr(assembly)), dispatch);
        const Product want = mulAdd(a, b, c, t.d, signOperands(t.a, t.b, t.c, t.d), true);
        EXPECT_EQ(difference(unpack(t.d, kM, kN, after[3]), want), "");
    }
}

}  // namespace
}  // namespace coopvk::test
