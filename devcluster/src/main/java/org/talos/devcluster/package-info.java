// SPDX-License-Identifier: Apache-2.0
/**
 * A development cluster of real daemons on this machine: HDFS, ZooKeeper and HBase, each daemon a JVM of its own, for
 * tests and for trying Talos out. Not for data that anybody needs.
 *
 * <p>Start reading at {@link org.talos.devcluster.DevCluster}. Nothing here uses Hadoop's or HBase's classes: those are
 * on the class path of the daemons alone.
 */
@NullMarked
package org.talos.devcluster;

import org.jspecify.annotations.NullMarked;
