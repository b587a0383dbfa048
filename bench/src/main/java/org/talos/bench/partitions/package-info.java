/** Measures the costs of partitions on an idle server: {@link org.talos.bench.partitions.PartitionsCommand}. */
@NullMarked
package org.talos.bench.partitions;

import org.jspecify.annotations.NullMarked;
