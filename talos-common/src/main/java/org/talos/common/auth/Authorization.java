// SPDX-License-Identifier: Apache-2.0
package org.talos.common.auth;

import java.util.Optional;
import java.util.Set;

/**
 * What an Authorization header says: {@code <scheme> <key id>:<signature>}. Immutable.
 *
 * @param scheme one of those that sign
 * @param keyId the key that is said to have signed
 * @param signature base64 of the HMAC
 */
public record Authorization(String scheme, String keyId, String signature) {
    /** What our client and the SDKs' Talos clients send. */
    public static final String GALAXY_V3 = "Galaxy-V3";

    private static final Set<String> SIGNING_SCHEMES = Set.of(GALAXY_V3, "Galaxy-V2", "OAuth");

    /** The parts of a header, split at its last colon; empty for schemes that do not sign and for whatever else. */
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

    /** The header's text. */
    public String header() {
        return scheme + " " + keyId + ":" + signature;
    }
}
