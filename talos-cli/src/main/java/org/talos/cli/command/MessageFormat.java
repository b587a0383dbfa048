// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.Locale;

/** How messages stand in a file or a pipe. */
enum MessageFormat {
    /** One a line, as they are. */
    TEXT,
    /** One JSON object a line, as over REST. */
    NDJSON,
    /** The bytes and nothing else. */
    RAW;

    /** As it is typed, for help and completion. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
