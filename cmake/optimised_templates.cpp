// SPDX-License-Identifier: Apache-2.0
//
// Members of the library's templates that programs and SPIRV-Tools call most. In C++20 each file
// has its own copies of them, and the linker keeps the first: programs that are not optimised are
// linked with these before all others.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

template class std::basic_string<char>;
template class std::vector<uint32_t>;
template class std::vector<std::string>;
template class std::map<uint32_t, uint32_t>;
template class std::map<std::string, uint32_t>;
