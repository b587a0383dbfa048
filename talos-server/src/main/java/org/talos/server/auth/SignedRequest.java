// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.common.auth.RequestDigest;
import org.talos.common.auth.RequestSignature;
import org.talos.common.auth.SignedHeader;

/**
 * The part of a request that its signature is about, or that a {@link RequestDigest} adds to it.
 *
 * <p>Immutable.
 *
 * @param path decoded, without host and query
 * @param query without {@code ?}, as it came
 * @param headers in the order in which they came; the list is the request's own from now on
 */
public record SignedRequest(
        String method, String path, @Nullable String query, List<SignedHeader> headers) {
    public SignedRequest {
        headers = Collections.unmodifiableList(headers);
    }

    /** Returns whether the signature covers the query and the headers that change the effect of the request. */
    public boolean hasDigest() {
        return has(RequestDigest.HEADER);
    }

    /** Returns whether a service acts for a developer by this request. */
    public boolean hasAttachedInfo() {
        return has(RequestSignature.ATTACHED_INFO);
    }

    /** Returns whether the header came at all. */
    boolean has(String name) {
        for (SignedHeader each : headers) {
            if (each.name().equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    /** The header's value if it came exactly once, else null: of two, the signed one may be the other. */
    @Nullable
    String single(String name) {
        @Nullable String value = null;
        for (SignedHeader each : headers) {
            if (each.name().equalsIgnoreCase(name)) {
                if (value != null) {
                    return null;
                }
                value = each.value();
            }
        }
        return value;
    }
}
