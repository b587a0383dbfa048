// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Groups;
import org.talos.server.metadata.rows.Offsets;
import org.talos.server.metadata.rows.Quotas;
import org.talos.server.metadata.rows.Topics;

/**
 * Groups the rows that calls about topics change, and those that a deleted topic leaves. Immutable.
 *
 * @param directory the topics in memory
 */
public record TopicRows(TopicDirectory directory, Topics topics, Groups groups, Offsets offsets, Quotas quotas) {}
