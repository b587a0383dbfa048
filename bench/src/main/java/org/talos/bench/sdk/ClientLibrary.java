// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import java.util.Locale;

/** The libraries that are measured, each with its own server. */
enum ClientLibrary {
    TALOS,
    KAFKA;

    /** As it is written in tables. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
