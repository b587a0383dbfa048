// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

/** The loads of a neighbor. Immutable. */
enum Neighbor {
    /** Fifty streams of messages of one byte. */
    TINY_PUTS("50 streams, 1 B", 50) {
        @Override
        NeighborLoad load(NeighborTarget target, int thread) {
            return new StreamLoad(target, thread, 1);
        }
    },
    /** Ten streams of messages of one byte. */
    FEW_TINY_PUTS("10 streams, 1 B", 10) {
        @Override
        NeighborLoad load(NeighborTarget target, int thread) {
            return new StreamLoad(target, thread, 1);
        }
    },
    /** Fifty streams of messages of 1 KiB, as a bulk load has them. */
    BULK_PUTS("50 streams, 1 KiB", 50) {
        @Override
        NeighborLoad load(NeighborTarget target, int thread) {
            return new StreamLoad(target, thread, 1 << 10);
        }
    },
    /** Requests over HTTP/2 that are reset at once, on new connections whenever one ends. */
    RESETS("resets over HTTP/2", 8) {
        @Override
        NeighborLoad load(NeighborTarget target, int thread) {
            return new ResetLoad(target);
        }
    };

    private final String label;
    private final int threads;

    Neighbor(String label, int threads) {
        this.label = label;
        this.threads = threads;
    }

    /** For a person. */
    String label() {
        return label;
    }

    int threads() {
        return threads;
    }

    /** The load of one of its threads. */
    abstract NeighborLoad load(NeighborTarget target, int thread);
}
