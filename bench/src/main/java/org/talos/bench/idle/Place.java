// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.time.Duration;

/**
 * The messages for which connections wait. Immutable.
 *
 * @param topic in whose partition it is
 * @param partition whose next message they wait for
 * @param headers of each request: host and credentials, each line with its end
 * @param longest that a long poll waits
 */
record Place(String topic, int partition, String headers, Duration longest) {
    /** A request without a body, up to the headers of its own. */
    String get(String path) {
        return "GET /v1/topics/" + topic + path + " HTTP/1.1\r\n" + headers;
    }

    /** The path of the partition below that of the topic. */
    String path() {
        return "/partitions/" + partition;
    }
}
