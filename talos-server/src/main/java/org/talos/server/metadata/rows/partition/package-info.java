// SPDX-License-Identifier: Apache-2.0
/** The rows of partitions: their owner's epoch, and their segments. Every call that reads or writes a row may block. */
@NullMarked
package org.talos.server.metadata.rows.partition;

import org.jspecify.annotations.NullMarked;
