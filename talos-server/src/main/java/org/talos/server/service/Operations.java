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
 * Holds the operations that front ends run, a component for each subject. The calls of the Thrift contract run the same
 * operations, under the same checks. A failed operation completes with a {@link TalosException}. No operation blocks.
 * Immutable.
 *
 * @param requests begins a request, in whose context its operations run
 */
public record Operations(
        Requests requests,
        TopicOperations topics,
        MessageOperations messages,
        GroupOperations groups,
        QuotaOperations quotas,
        AdminOperations admin,
        HistoryOperations history) {}
