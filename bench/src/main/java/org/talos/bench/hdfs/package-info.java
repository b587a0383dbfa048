/** Experiments on a real HDFS: {@link org.talos.bench.hdfs.HdfsCommand}. */
@NullMarked
package org.talos.bench.hdfs;

import org.jspecify.annotations.NullMarked;
