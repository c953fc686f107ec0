# SPDX-License-Identifier: Apache-2.0
# `nix-build cmake/package/nix`, in the top folder of a clone, builds coopvk into ./result.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "coopvk";
  version = builtins.head (builtins.match ".*\nproject\\(coopvk VERSION ([0-9.]+).*"
    (builtins.readFile ../../../CMakeLists.txt));
  src = builtins.fetchGit ../../..;
  nativeBuildInputs = with pkgs; [ cmake glslang ninja python3 ];
  buildInputs = with pkgs; [
    cli11
    nlohmann_json
    spirv-headers
    spirv-tools
    vulkan-headers
    vulkan-utility-libraries
    vulkan-volk
  ];
  cmakeFlags = [ "-DCOOPVK_BUILD_TESTS=OFF" "-DCOOPVK_WERROR=OFF" ];
  # The programs load the Vulkan loader by its name.
  postFixup = "patchelf --add-rpath ${pkgs.vulkan-loader}/lib $out/bin/coopvk $out/bin/coopvk-compare";
  meta.license = pkgs.lib.licenses.asl20;
}
