// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

/** How much of this program's heap one thing may take. Immutable. */
public final class HeapShare {
    private static final int LEAST = 32 << 20;
    private static final int MOST = 256 << 20;

    private HeapShare() {}

    /**
     * Returns an eighth of the heap in bytes, 32 to 256 MiB: the largest read of the SDK, and so the largest message
     * that it can get. A put holds its message about three times: as it was read, in its block, and compressed.
     */
    public static int eighth() {
        return (int) Math.max(LEAST, Math.min(MOST, Runtime.getRuntime().maxMemory() / 8));
    }
}
