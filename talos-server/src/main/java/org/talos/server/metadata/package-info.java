// SPDX-License-Identifier: Apache-2.0
/**
 * What must survive besides the messages: {@link org.talos.server.metadata.MetadataStore} is the seam, a table of rows
 * with one atomic step; on top stand typed repositories ({@link org.talos.server.metadata.Topics}, {@code Partitions},
 * {@code Groups}, {@code Offsets}, {@code Users}) and {@link org.talos.server.metadata.TopicDirectory}, the topics in
 * memory. Every call but those of the directory's lookups may block: not for network threads.
 */
@NullMarked
package org.talos.server.metadata;

import org.jspecify.annotations.NullMarked;
