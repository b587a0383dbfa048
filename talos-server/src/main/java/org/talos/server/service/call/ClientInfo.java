// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.OptionalLong;

/**
 * A client's description of itself. Immutable.
 *
 * @param userAgent its User-Agent, empty if it has none
 * @param dateMillis its clock when it sent the request, ms since 1970
 * @param requestId its name of the request, for the log
 */
public record ClientInfo(String userAgent, OptionalLong dateMillis, String requestId) {
    private static final String GO_SDK = "Go-SDK/";
    private static final String JAVA_SDK = "Java-SDK/";
    private static final String OUR_CLIENT = "Talos-Java/";

    /** Returns whether it is the Go SDK, which takes each block that begins with a {@code K} for a Kafka batch. */
    public boolean isGoSdk() {
        return userAgent.startsWith(GO_SDK);
    }

    /** Returns whether it is the older Java SDK, which cannot read all forms of blocks. */
    public boolean isJavaSdk() {
        return userAgent.startsWith(JAVA_SDK);
    }

    /** Returns whether each of its puts has a sequence id of its own. */
    public boolean hasUniqueSequenceIds() {
        return isJavaSdk() || userAgent.startsWith(OUR_CLIENT);
    }
}
