// SPDX-License-Identifier: Apache-2.0
//
// How the threads of a workgroup divide a copy of `parts` pieces. In each step a thread takes one
// piece; in the last step the threads beyond the end take none. A workgroup can have fewer threads than
// pieces, or more. ../staging_test.cpp includes this file as C++.
#define STAGING_STEPS(parts, threads) (((parts) + (threads) - 1) / (threads))
#define STAGING_PART(step, thread, threads) ((step) * (threads) + (thread))
// The first operand is constant: the compiler drops the test where all steps are full.
#define STAGING_HAS(part, parts, threads) ((parts) % (threads) == 0 || (part) < (parts))
