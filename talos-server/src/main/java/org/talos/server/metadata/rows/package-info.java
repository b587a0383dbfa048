// SPDX-License-Identifier: Apache-2.0
/**
 * Typed repositories and their records over the rows of a store: {@link org.talos.server.metadata.rows.Topics},
 * {@code Partitions}, {@code Groups}, {@code Offsets}, {@code Quotas}, {@code Users}. Every call that reads or writes a
 * row may block.
 */
@NullMarked
package org.talos.server.metadata.rows;

import org.jspecify.annotations.NullMarked;
