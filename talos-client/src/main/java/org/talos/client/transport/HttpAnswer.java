// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A whole answer. Immutable, but for the body, which belongs to the caller.
 *
 * @param headers values by name in lower case
 */
@SuppressWarnings("ArrayRecordComponent") // answers are not compared
record HttpAnswer(int status, Map<String, String> headers, byte[] body) {
    /** Returns the value of a header. */
    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
    }
}
