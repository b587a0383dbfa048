/**
 * What experiments need of the clusters that they start: who owns which partition,
 * {@link org.talos.bench.cluster.Owners}, and times as real clusters have them,
 * {@link org.talos.bench.cluster.HdfsAsShipped}. No threads of their own.
 */
@NullMarked
package org.talos.bench.cluster;

import org.jspecify.annotations.NullMarked;
