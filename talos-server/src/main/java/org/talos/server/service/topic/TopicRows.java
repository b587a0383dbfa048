// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.Topics;

/**
 * The rows that calls about topics change, and those that a deleted topic leaves. Immutable.
 *
 * @param directory the topics in memory
 */
public record TopicRows(TopicDirectory directory, Topics topics, Groups groups, Offsets offsets, Quotas quotas) {}
