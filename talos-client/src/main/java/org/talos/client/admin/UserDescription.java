// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * A user of the server. Immutable.
 *
 * @param userId their name
 * @param keyId their access key
 * @param admin whether they may do everything
 */
public record UserDescription(String userId, String keyId, boolean admin) {}
