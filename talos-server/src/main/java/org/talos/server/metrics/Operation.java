// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.util.Locale;

/** The kinds of requests whose cost is measured apart. */
public enum Operation {
    /** Stores messages. */
    PUT,
    /** Reads messages. */
    GET,
    /** Everything else. */
    OTHER;

    String label() {
        return "operation=\"" + name().toLowerCase(Locale.ROOT) + "\"";
    }
}
