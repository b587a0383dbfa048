// SPDX-License-Identifier: Apache-2.0
/**
 * The rows of consumer groups: members, locks, committed offsets, and resets. Every call that reads or writes a row may
 * block.
 */
@NullMarked
package org.talos.server.metadata.rows.group;

import org.jspecify.annotations.NullMarked;
