// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

/** Groups the operations on users, sessions, and servers, for every front end. Immutable. */
public record AdminOperations(
        UserOperations users, SessionOperations sessions, ClusterOperations cluster, OverviewOperations overview) {}
