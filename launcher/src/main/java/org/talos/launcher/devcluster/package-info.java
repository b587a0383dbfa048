/**
 * HDFS, ZooKeeper and HBase on this machine, and Talos servers on them: {@code bin/talos devcluster}. Entry:
 * {@link org.talos.launcher.devcluster.DevClusterCommand}. No threads; the processes outlive the command.
 */
@NullMarked
package org.talos.launcher.devcluster;

import org.jspecify.annotations.NullMarked;
