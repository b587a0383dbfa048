// SPDX-License-Identifier: Apache-2.0
/**
 * Several servers, one step at a time: their real partition managers, logs, stores, coordinators, routes and reads over
 * a simulated HDFS, ZooKeeper and table of rows. A seed decides what runs next, what fails, pauses, is cut, and is
 * moved. Entry: {@link org.talos.server.cluster.simulation.ClusterSimulationTest}.
 */
@NullMarked
package org.talos.server.cluster.simulation;

import org.jspecify.annotations.NullMarked;
