// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.util.Arrays;

/** The behavior of the store of a server under load. It may change while the server runs. */
enum StoreKind {
    /** As the local store is. */
    LOCAL("local"),
    /** Each append takes as long as an hflush of HDFS took. */
    HDFS("hdfs-like"),
    /** The appends of every tenth partition take seconds, all others as long as the local store takes. */
    HELD_UP("held-up");

    private final String label;

    StoreKind(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** The kind of a label; the local store for whatever else. */
    static StoreKind of(String label) {
        return Arrays.stream(values())
                .filter(each -> each.label.equals(label))
                .findFirst()
                .orElse(LOCAL);
    }
}
