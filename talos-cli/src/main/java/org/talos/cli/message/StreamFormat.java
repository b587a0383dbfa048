// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import java.util.Locale;

/** The format of messages on standard input and output. */
public enum StreamFormat {
    /** One message a line. */
    TEXT,
    /** One JSON object a line, as REST has it. */
    NDJSON,
    /** The bytes of the messages only. */
    RAW;

    /** Returns the word that users type, for help and completion. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
