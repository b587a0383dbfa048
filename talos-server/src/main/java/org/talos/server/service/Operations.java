// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import org.talos.common.error.TalosException;
import org.talos.server.service.admin.AdminOperations;
import org.talos.server.service.group.GroupOperations;
import org.talos.server.service.history.HistoryOperations;
import org.talos.server.service.message.MessageOperations;
import org.talos.server.service.quota.QuotaOperations;
import org.talos.server.service.topic.TopicOperations;

/**
 * What front ends can ask of a server, a component for each subject. The calls of the Thrift contract run the same
 * operations under the same checks. What fails completes with a {@link TalosException}; nothing blocks. Immutable.
 *
 * @param requests begins a request, in whose context the operations run
 */
public record Operations(
        Requests requests,
        TopicOperations topics,
        MessageOperations messages,
        GroupOperations groups,
        QuotaOperations quotas,
        AdminOperations admin,
        HistoryOperations history) {}
