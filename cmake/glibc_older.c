/* SPDX-License-Identifier: Apache-2.0
 *
 * So that programs which are compiled with a newer glibc start with an older one.
 *
 * Since glibc 2.38 a program that is compiled with its headers calls these names in place of strtol
 * and its kin, and then does not start with an older glibc. They differ in binary literals only
 * ("0b101"), which nobody passes here. */
#include <float.h>

#define COOPVK_STRTO(name, type)                                   \
    type coopvk_##name(const char*, char**, int) __asm__(#name);   \
    type __isoc23_##name(const char* text, char** end, int base);  \
    type __isoc23_##name(const char* text, char** end, int base) { \
        return coopvk_##name(text, end, base);                     \
    }

COOPVK_STRTO(strtol, long)
COOPVK_STRTO(strtoll, long long)
COOPVK_STRTO(strtoul, unsigned long)
COOPVK_STRTO(strtoull, unsigned long long)

/* fmod and fmodf have other versions since glibc 2.38, fmodl does not. The remainder is exact in
 * each type. Where long double is no wider than double, there is no such glibc; processors of x86
 * have an instruction for it. */
#if LDBL_MANT_DIG > DBL_MANT_DIG && !defined(__i386__) && !defined(__x86_64__)
long double coopvk_fmodl(long double, long double) __asm__("fmodl");
#define COOPVK_FMOD(name, type)                                                          \
    __attribute__((visibility("hidden"))) type coopvk_##name(type, type) __asm__(#name); \
    type coopvk_##name(type a, type b) { return (type)coopvk_fmodl(a, b); }

COOPVK_FMOD(fmod, double)
COOPVK_FMOD(fmodf, float)
#endif
