// SPDX-License-Identifier: Apache-2.0
#include "glsl_values.hpp"

#include <algorithm>

namespace coopvk::test {

const std::vector<GlslValue>& glslValues() {
    static const std::vector<GlslValue> table = {
        {"Copy", "", "R = A;"},
        {"Expression", "", "R = A + B - C;"},
        {"ElementLoop", "",
         "R = C;\nfor (int i = 0; i < R.length(); ++i) R[i] = A[i] * E(2) + B[i];"},
        {"ElementLoopUnrolled", "",
         "[[unroll]] for (int i = 0; i < R.length(); ++i) R[i] = A[i] - B[i];"},
        {"ElementLoopBackwards", "",
         "for (int i = R.length() - 1; i >= 0; --i) R[i] = A[i] + C[i];"},
        {"ElementCompound", "",
         "R = A;\nfor (uint i = 0; i < R.length(); ++i) { R[i] += B[i]; R[i] *= E(3); R[i]--; }"},
        {"ElementAsArgument", "void twice(inout E x, E y, out E z) { z = y; x += x; }",
         "R = A;\nfor (uint i = 0; i < R.length(); ++i) { E z; twice(R[i], B[i], z); R[i] += z; }"},
        {"ElementOfExpression", "", "for (uint i = 0; i < R.length(); ++i) R[i] = (A + B)[i];"},
        {"ElementsByTwoIndexes", "",
         "R = A;\nfor (uint i = 0; i < R.length(); ++i) { uint j = R.length() - 1 - i; R[j] = C[j];"
         " }"},
        {"ElementSelect", "",
         "for (uint i = 0; i < R.length(); ++i) R[i] = A[i] > B[i] ? A[i] : B[i];"},
        {"ElementBranch", "",
         "R = A;\nfor (uint i = 0; i < R.length(); ++i) { if (B[i] > E(0)) R[i] = C[i]; else "
         "continue; }"},
        {"PrivateVariable", "T g;\nvoid add() { g = g + g; }", "g = A;\nadd();\nR = g;"},
        {"PrivateElement", "T g;",
         "g = A;\nfor (uint i = 0; i < g.length(); ++i) g[i] += B[i];\n"
         "R = g;"},
        {"PrivateArray",
         "T g[3];\nvoid rotate() { T t = g[0]; g[0] = g[1]; g[1] = g[2]; g[2] = t; }",
         "g[0] = A;\ng[1] = B;\ng[2] = C;\nrotate();\nR = g[0] - g[2] + g[1];"},
        {"Array", "", "T m[3];\nm[0] = A;\nm[1] = B;\nm[2] = C;\nR = m[2] + m[1];"},
        {"ArrayDynamicIndex", "",
         "T m[3];\nm[push.n[2]] = A;\nm[push.n[1]] = B;\nm[push.n[3]] = C;\nR = m[0] - m[1];\n"
         "R = R + m[push.n[3]];"},
        {"ArrayInLoop", "",
         "T m[4];\nfor (uint i = 0; i < 4; ++i) m[i] = A;\nfor (uint i = 0; i < push.n[0]; ++i) "
         "m[i] = m[i] + B;\nR = T(0);\nfor (uint i = 0; i < 4; ++i) R = R + m[i];"},
        {"ArrayElementElement", "",
         "T m[2];\nm[0] = A;\nm[1] = B;\nfor (uint k = 0; k < 2; ++k) for (uint i = 0; i < "
         "m[k].length(); ++i) m[k][i] += C[i];\nR = m[0] + m[1];"},
        {"ArrayOfArrays", "",
         "T m[2][2];\nm[0][0] = A;\nm[0][1] = B;\nm[1][0] = C;\nm[1][1] = A;\n"
         "R = m[push.n[2]][push.n[1]] - m[push.n[1]][push.n[2]] + m[1][1];"},
        {"ArrayCopy", "",
         "T m[2];\nm[0] = A;\nm[1] = B;\nT o[2] = m;\nm[0] = C;\nR = o[0] + o[1];"},
        {"Struct", "struct S { float before; T m; uint n; T o[2]; };",
         "S s;\ns.m = A;\ns.n = push.n[1];\ns.o[0] = B;\ns.o[s.n] = C;\ns.before = 1.0;\n"
         "S t = s;\ns.m = B;\nR = t.m + t.o[1] - t.o[0];"},
        {"ArrayOfStructs", "struct S { T m; uint n; };\nstruct U { S s[2]; };",
         "U u[2];\nu[0].s[0].m = A;\nu[0].s[1].m = B;\nu[push.n[1]].s[0].m = C;\nu[1].s[1].m = A;\n"
         "for (uint i = 0; i < u[1].s[0].m.length(); ++i) u[push.n[1]].s[0].m[i] += E(1);\n"
         "R = u[1].s[0].m + u[0].s[push.n[1]].m;"},
        {"Function", "T f(T x, T y) { return x + y; }", "R = f(f(A, B), f(B, C));"},
        {"FunctionOutParameters", "void f(in T x, inout T y, out T z) { z = x + y; y = x; x = z; }",
         "T z;\nf(A, B, z);\nR = z - B;"},
        {"FunctionElementParameter",
         "void f(inout T x) { for (uint i = 0; i < x.length(); ++i) x[i] += E(2); }",
         "R = A;\nf(R);\nf(R);"},
        {"FunctionStructs", "struct S { T m[2]; E s; };\nS f(S x) { x.m[1] = x.m[0]; return x; }",
         "S s;\ns.m[0] = A;\ns.m[1] = B;\ns.s = E(1);\nR = f(s).m[1] + s.m[1];"},
        {"FunctionArrayParameter", "T f(T x[2], uint i) { return x[i]; }",
         "T x[2];\nx[0] = A;\nx[1] = B;\nR = f(x, push.n[1]) + f(x, 0);"},
        {"FunctionEarlyReturn",
         "T f(T x, T y, uint n) { if (n == 1) return x; for (uint i = 0; i < n; ++i) { if (i == 2) "
         "return y; x = x + y; } return x; }",
         "R = f(A, B, push.n[1]) + f(A, B, push.n[3]) + f(A, C, push.n[0]);"},
        {"FunctionLength", "uint f(T x) { return x.length(); }",
         "R = A;\nfor (uint i = 0; i < f(A); ++i) R[i] = B[i];"},
        {"If", "", "if (push.n[0] == 3) R = A; else R = B;"},
        {"IfElse", "", "if (push.n[0] == 4) { R = A + C; } else { R = B; R = R + C; }"},
        {"Loop", "", "R = A;\nfor (uint i = 0; i < push.n[0]; ++i) R = R + B;"},
        {"LoopTwoValues", "",
         "T x = A, y = B;\nfor (uint i = 0; i < push.n[0]; ++i) { T t = x; x = y; y = t + C; }\n"
         "R = x - y;"},
        {"LoopBreakContinue", "",
         "R = T(0);\nfor (uint i = 0; i < 10; ++i) { if (i == push.n[1]) continue; R = R + A; if "
         "(i "
         "> push.n[3]) break; }"},
        {"DoWhile", "", "uint i = 0;\nR = B;\ndo { R = R + A; ++i; } while (i < push.n[3]);"},
        {"NestedLoops", "",
         "R = T(0);\nfor (uint i = 0; i < push.n[3]; ++i) { T s = A; for (uint j = 0; j < "
         "push.n[3]; ++j) s = s + B; R = R + s; }"},
        {"Switch", "",
         "switch (push.n[3]) { case 0: R = A; break; case 2: R = B; /* through */ case 5: R = R + "
         "C; break; default: R = C; }"},
        {"Select", "", "R = push.n[0] == 3 ? A : B;", Checked::kNo},
        {"SelectOther", "", "R = (push.n[0] == 4 ? A : B) + C;", Checked::kNo},
        {"Splat", "", "R = T(E(push.n[0])) + A;"},
        {"ConstantSplat", "const T k = T(E(2));", "R = k + A;"},
        {"ConstantArray", "const T k[2] = { T(E(2)), T(E(-1)) };", "R = k[push.n[1]] + A;"},
        {"Zero", "", "R = T(0);\nR = R + A;"},
        {"Initializer", "", "T m = A, n = m;\nm = B;\nR = n + m;"},
        {"UnwrittenInDeadBranch", "",
         "T m;\nif (push.n[0] == 9) { R = m; } else { m = A; R = m; }"},
        {"Negate", "", "R = -A;"},
        {"TimesScalar", "", "R = A * E(push.n[0]);\nR = E(2) * R;"},
        {"SelfConversion", "", "R = T(A);"},
        {"Swap", "", "T t = A;\nA = B;\nB = t;\nR = A - B;"},
        {"UnusedMatrices", "T unused;\nT f(T x) { return x + x; }",
         "T other = f(B);\nunused = other;\nR = A;"},
    };
    return table;
}

}  // namespace coopvk::test
