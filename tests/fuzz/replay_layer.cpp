// SPDX-License-Identifier: Apache-2.0
//
// usage: replay_layer FILE|FOLDER...
//
// Tries files on the layer as the fuzzer does, without one.
#include "check_layer.hpp"
#include "replay.hpp"

int main(int count, char** arguments) {
    return coopvk::fuzz::replay(count, arguments, coopvk::fuzz::checkLayer, nullptr);
}
