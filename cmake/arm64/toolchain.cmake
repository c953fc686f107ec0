# SPDX-License-Identifier: Apache-2.0
# Cross-compiling for 64-bit Arm with Debian's GCC. CMAKE_SYSROOT is the folder that scripts/sysroot
# unpacks; scripts/build sets it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
if(NOT CMAKE_SYSROOT)
    message(FATAL_ERROR "CMAKE_SYSROOT is not set; scripts/build --preset arm64 sets it")
endif()

# Nothing of this machine's but its programs.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
