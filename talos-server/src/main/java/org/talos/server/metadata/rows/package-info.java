// SPDX-License-Identifier: Apache-2.0
/**
 * Typed repositories and their records over the rows of a store: {@link org.talos.server.metadata.rows.Topics},
 * {@code Partitions}, {@code Groups}, {@code Offsets}, {@code Quotas}, and in packages of their own those of users.
 * Every call that reads or writes a row may block.
 */
@NullMarked
package org.talos.server.metadata.rows;

import org.jspecify.annotations.NullMarked;
