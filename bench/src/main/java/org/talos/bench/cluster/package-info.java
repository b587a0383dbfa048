/**
 * The parts of experiments for the clusters that they start: the owners of partitions,
 * {@link org.talos.bench.cluster.Owners}, and the times of real clusters,
 * {@link org.talos.bench.cluster.HdfsAsShipped}. No threads of their own.
 */
@NullMarked
package org.talos.bench.cluster;

import org.jspecify.annotations.NullMarked;
