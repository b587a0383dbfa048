// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.partition.serving.Failures;

/**
 * The limit of texts that users write for people and that rows keep: names of owners and orgs, reasons. Longer texts in
 * rows of versions without the limit can still be read. Immutable.
 */
public final class FreeText {
    private static final int MAX_CHARACTERS = 1_000;

    private FreeText() {}

    /**
     * Returns the text, if it is not too long to be kept.
     *
     * @param field the protocol's name of it
     * @param text null if the request has none, which is answered so
     * @throws TalosException INVALID_TOPIC_PARAMS
     */
    public static @Nullable String bounded(String field, @Nullable String text) {
        if (text != null && text.length() > MAX_CHARACTERS) {
            throw Failures.invalid(field + ": " + text.length() + " characters (expected: 0.." + MAX_CHARACTERS + ")");
        }
        return text;
    }
}
