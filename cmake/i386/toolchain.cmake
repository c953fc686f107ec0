# SPDX-License-Identifier: Apache-2.0
# Cross-compiling for 32-bit x86 (Debian's i386) with Debian's GCC. CMAKE_SYSROOT is the folder that
# scripts/sysroot unpacks; scripts/build sets it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER i686-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER i686-linux-gnu-g++)
if(NOT CMAKE_SYSROOT)
    message(FATAL_ERROR "CMAKE_SYSROOT is not set; scripts/build --preset i386 sets it")
endif()

# Floats must not have more bits than their types. Old programs align their stack to 4 bytes only.
foreach(language C CXX)
    set(CMAKE_${language}_FLAGS_INIT "-msse2 -mfpmath=sse -mstackrealign")
endforeach()
# Tests start on this machine, with the C library and drivers in that folder.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=${CMAKE_SYSROOT}/usr/lib/ld-linux.so.2 \
-Wl,--disable-new-dtags,-rpath,${CMAKE_SYSROOT}/usr/lib/i386-linux-gnu")

# Nothing of this machine's but its programs.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
