// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * A user of the servers. Immutable.
 *
 * @param userId name of the user
 * @param keyId access key of the user
 * @param admin whether the user is an administrator
 */
public record UserDescription(String userId, String keyId, boolean admin) {}
