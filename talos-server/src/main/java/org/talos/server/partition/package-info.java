/**
 * Partitions: opening under the next epoch, serving, closing, opening again after a failure. Entry type:
 * {@link org.talos.server.partition.PartitionManager}. Openings run on background threads; everything else on the
 * caller's.
 */
@NullMarked
package org.talos.server.partition;

import org.jspecify.annotations.NullMarked;
