/* SPDX-License-Identifier: Apache-2.0
 *
 * Since glibc 2.38 a program that is compiled with its headers calls these names in place of strtol
 * and its kin, and then does not start with an older glibc. They differ in binary literals only
 * ("0b101"), which nobody passes here. */
#define COOPVK_STRTO(name, type)                                                        \
    type coopvk_##name(const char*, char**, int) __asm__(#name);                        \
    type __isoc23_##name(const char* text, char** end, int base);                       \
    type __isoc23_##name(const char* text, char** end, int base) {                      \
        return coopvk_##name(text, end, base);                                          \
    }

COOPVK_STRTO(strtol, long)
COOPVK_STRTO(strtoll, long long)
COOPVK_STRTO(strtoul, unsigned long)
COOPVK_STRTO(strtoull, unsigned long long)
