// SPDX-License-Identifier: Apache-2.0
package org.talos.common.auth;

import java.util.Optional;
import java.util.Set;

/**
 * The parts of an Authorization header: {@code <scheme> <key id>:<signature>}. Immutable.
 *
 * @param scheme scheme that signs requests
 * @param keyId id of the claimed key
 * @param signature base64 of the HMAC
 */
public record Authorization(String scheme, String keyId, String signature) {
    /** The scheme of this client and of the existing SDKs. */
    public static final String GALAXY_V3 = "Galaxy-V3";

    private static final Set<String> SIGNING_SCHEMES = Set.of(GALAXY_V3, "Galaxy-V2", "OAuth");

    /** Parses a header, which is split at its last colon; empty for other schemes and malformed headers. */
    public static Optional<Authorization> parse(String header) {
        int space = header.indexOf(' ');
        int colon = header.lastIndexOf(':');
        if (space <= 0 || colon <= space + 1 || colon == header.length() - 1) {
            return Optional.empty();
        }
        String scheme = header.substring(0, space);
        return SIGNING_SCHEMES.contains(scheme)
                ? Optional.of(
                        new Authorization(scheme, header.substring(space + 1, colon), header.substring(colon + 1)))
                : Optional.empty();
    }

    /** Returns the text of the header. */
    public String header() {
        return scheme + " " + keyId + ":" + signature;
    }
}
