// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.util.regex.Pattern;
import org.talos.common.auth.Credential;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

/**
 * A key that a user brings, from another service or another Talos. Immutable; its text has no secret.
 *
 * @param keyId 4 to 100 of [A-Za-z0-9._-]: whatever else an Authorization header gives a meaning to is no part of it
 * @param secret 16 to 200 visible characters of ASCII
 */
public record OwnKey(String keyId, String secret) {
    private static final Pattern KEY_ID = Pattern.compile("[A-Za-z0-9._-]{4,100}");
    private static final Pattern SECRET = Pattern.compile("[!-~]{16,200}");

    /** Checks both: {@link TalosException} INVALID_NAME_ERROR, which does not show the secret. */
    public OwnKey {
        if (!KEY_ID.matcher(keyId).matches()) {
            throw invalid("keyId: 4 to 100 of [A-Za-z0-9._-]");
        }
        if (!SECRET.matcher(secret).matches()) {
            throw invalid("secretKey: 16 to 200 visible characters of ASCII, no spaces");
        }
    }

    private static TalosException invalid(String sentence) {
        return TalosException.refused(ErrorCode.INVALID_NAME_ERROR, sentence);
    }

    Credential credential() {
        return new Credential(keyId, secret);
    }

    @Override
    public String toString() {
        return "OwnKey[" + keyId + "]";
    }
}
