// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

/** What operators see and change of a server and its cluster, for every front end. Immutable. */
public record AdminOperations(
        UserOperations users, SessionOperations sessions, ClusterOperations cluster, OverviewOperations overview) {}
