// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.util.Locale;

/** What a request does, as far as its cost goes. */
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
