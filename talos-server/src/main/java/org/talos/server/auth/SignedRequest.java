// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The part of a request that its signature is about.
 *
 * <p>Immutable.
 *
 * @param path decoded, without host and query
 * @param query without {@code ?}, as it came
 * @param headers names in any case; values as they came
 */
public record SignedRequest(
        String method, String path, @Nullable String query, Map<String, List<String>> headers) {
    public SignedRequest {
        TreeMap<String, List<String>> anyCase = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, values) -> anyCase.merge(name, List.copyOf(values), SignedRequest::joined));
        headers = Collections.unmodifiableMap(anyCase);
    }

    private static List<String> joined(List<String> one, List<String> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }

    /** Whether the header came at all. */
    boolean has(String name) {
        return headers.containsKey(name);
    }

    /** The header's value if it came exactly once, else null: of two, the signed one may be the other. */
    @Nullable
    String single(String name) {
        List<String> values = headers.getOrDefault(name, List.of());
        return values.size() == 1 ? values.get(0) : null;
    }
}
