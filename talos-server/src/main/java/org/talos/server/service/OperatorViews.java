// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import org.talos.server.service.admin.OverviewOperations;
import org.talos.server.service.admin.UserOperations;
import org.talos.server.service.history.HistoryOperations;
import org.talos.server.service.quota.QuotaUses;
import org.talos.server.service.topic.PartitionViews;

/** The views for operators besides topics, groups and the cluster. Immutable. */
public record OperatorViews(
        UserOperations users,
        PartitionViews partitions,
        OverviewOperations overview,
        HistoryOperations history,
        QuotaUses quotas) {}
