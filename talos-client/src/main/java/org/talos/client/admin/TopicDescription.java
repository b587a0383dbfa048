// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.time.Duration;

/**
 * A topic with its settings. Immutable.
 *
 * @param name name that users give
 * @param resourceName names this incarnation of it
 * @param owner user, team or org that owns it
 * @param partitions number of partitions, which are numbered from 0
 * @param retention time for which messages are kept at least
 */
public record TopicDescription(String name, String resourceName, String owner, int partitions, Duration retention) {}
