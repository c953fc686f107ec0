// SPDX-License-Identifier: Apache-2.0
// What each program says at its end, for tests/apps/npm.bash: how many results it compared, how many were
// wrong, in how many seconds, and a remark.

export function report(checks, wrong, started, remark) {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`RESULT ${checks} ${wrong} ${seconds} ${remark}`);
    (globalThis.Deno?.exit ?? process.exit)(wrong ? 1 : 0);
}

// Half floats of the integers from -2048 to 2048, and back.
export function toHalf(value) {
    if (value === 0) return 0;
    const size = Math.abs(value), exponent = Math.floor(Math.log2(size));
    return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | ((size / 2 ** exponent - 1) * 1024);
}

export function ofHalf(bits) {
    const exponent = (bits >> 10) & 31, fraction = bits & 1023;
    const size = exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : fraction * 2 ** -24;
    return bits & 0x8000 ? -size : size;
}
