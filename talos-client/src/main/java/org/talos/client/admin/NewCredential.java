// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * The key of a new user, told this once. Immutable; its text has no secret.
 *
 * @param accessKey names it
 * @param secretKey signs with it
 */
public record NewCredential(String accessKey, String secretKey) {
    @Override
    public String toString() {
        return "NewCredential[accessKey=" + accessKey + ", secretKey=***]";
    }
}
