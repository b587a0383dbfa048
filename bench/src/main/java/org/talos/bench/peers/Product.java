// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.util.Locale;

/** The measured products. */
enum Product {
    TALOS,
    KAFKA,
    ROCKETMQ,
    NATS;

    /** Returns whether a lean client speaks its protocol. */
    boolean hasLeanClient() {
        return this != NATS;
    }

    /** As it is written in tables, and the folder of its module. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
