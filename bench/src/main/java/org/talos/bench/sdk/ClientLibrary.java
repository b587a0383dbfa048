// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import java.util.Locale;

/** The libraries that are measured, and how they reach their servers, of which each has its own. */
enum ClientLibrary {
    TALOS,
    TALOS_TLS,
    KAFKA;

    /** As it is written in tables. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
