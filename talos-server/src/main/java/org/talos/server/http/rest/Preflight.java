// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Answers a browser's preflight for a page of another origin: the methods of the path, and those of the requested
 * headers that some route reads.
 *
 * <p>Immutable.
 */
final class Preflight {
    private static final String OF_MESSAGES = "talos-header-";
    private static final String OF_SIGNATURES = "x-xiaomi-";

    private static final Set<String> READ = Set.of(
            "accept",
            "authorization",
            "content-encoding",
            "content-type",
            "idempotency-key",
            "last-event-id",
            "talos-key",
            "talos-tag",
            "talos-timestamp",
            "traceparent",
            "x-request-id");

    private Preflight() {}

    /**
     * The answer.
     *
     * @param methods that the path has, separated by commas
     */
    static RestAnswer answer(HttpFields asked, String methods) {
        String headers = asked.getCSV(HttpHeader.ACCESS_CONTROL_REQUEST_HEADERS, false).stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .filter(Preflight::isRead)
                .collect(Collectors.joining(", "));
        RestAnswer answer = RestAnswer.noContent().with("Access-Control-Allow-Methods", methods);
        return headers.isEmpty() ? answer : answer.with("Access-Control-Allow-Headers", headers);
    }

    private static boolean isRead(String name) {
        return READ.contains(name) || name.startsWith(OF_MESSAGES) || name.startsWith(OF_SIGNATURES);
    }
}
