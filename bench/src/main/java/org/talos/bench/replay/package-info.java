/**
 * Measures the costs of reading far behind the tail, and whether it slows the tail:
 * {@link org.talos.bench.replay.ReplayCommand} measures it on the local disk and on HDFS.
 */
@NullMarked
package org.talos.bench.replay;

import org.jspecify.annotations.NullMarked;
