// SPDX-License-Identifier: Apache-2.0
/**
 * The messages of a partition as a chain of segments: entries, index, tail cache, waiting readers, recovery, retention.
 * Entry type: PartitionLog. Appends run on the worker that holds the partition's key, reads on any thread.
 */
@NullMarked
package org.talos.server.log;

import org.jspecify.annotations.NullMarked;
