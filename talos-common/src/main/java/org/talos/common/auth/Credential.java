// SPDX-License-Identifier: Apache-2.0
package org.talos.common.auth;

/**
 * A key and its secret. Immutable; its text has no secret.
 *
 * @param keyId id of the key, sent with each request
 * @param secret secret that signs requests and is never sent
 */
public record Credential(String keyId, String secret) {
    @Override
    public String toString() {
        return "Credential[keyId=" + keyId + ", secret=***]";
    }
}
