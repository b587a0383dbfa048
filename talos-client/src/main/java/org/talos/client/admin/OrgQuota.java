// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * The partition quota of an org, or its application for one. Immutable.
 *
 * @param org the org
 * @param partitions partitions approved, or applied for
 * @param used partitions of all topics that the org owns
 * @param waiting whether it is an application that waits for approval
 * @param reason reason of the application, may be empty
 */
public record OrgQuota(String org, int partitions, int used, boolean waiting, String reason) {}
