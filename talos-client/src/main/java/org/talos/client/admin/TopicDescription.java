// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * A topic. Immutable.
 *
 * @param name what users call it
 * @param resourceName names this incarnation of it
 * @param owner whose it is
 * @param partitions from 0 to this − 1
 * @param retentionSeconds how long messages are kept at least
 */
public record TopicDescription(String name, String resourceName, String owner, int partitions, int retentionSeconds) {}
