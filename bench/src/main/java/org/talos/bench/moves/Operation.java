// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

/** The operations on servers and partitions under load, in the order of the table. */
enum Operation {
    /** The load alone, to compare with. */
    NOTHING("nothing"),
    MOVE("move of a partition"),
    DRAIN("drain of a server"),
    RESUME("resume and rebalance"),
    RESTART("rolling restart"),
    /** The others take its partitions. */
    KILL("kill -9, taken over"),
    /** One that was killed starts again, and is given its share. */
    RETURN("start after that"),
    KILL_AND_START("kill -9, started at once");

    private final String label;

    Operation(String label) {
        this.label = label;
    }

    /** As it stands in tables. */
    String label() {
        return label;
    }
}
