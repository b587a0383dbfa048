// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * Partitions that an org has or has asked for.
 *
 * <p>Immutable.
 *
 * @param partitions approved, or asked for
 * @param used partitions of all topics that the org owns
 * @param waiting whether it is an application
 * @param reason of an application, may be empty
 */
public record OrgQuota(String org, int partitions, int used, boolean waiting, String reason) {}
