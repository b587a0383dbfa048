// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * The key of a new user; its secret cannot be queried later. Immutable; its text has no secret.
 *
 * @param accessKey id of the key
 * @param secretKey secret of the key
 */
public record NewCredential(String accessKey, String secretKey) {
    @Override
    public String toString() {
        return "NewCredential[accessKey=" + accessKey + ", secretKey=***]";
    }
}
