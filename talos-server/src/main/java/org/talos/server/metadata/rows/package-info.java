// SPDX-License-Identifier: Apache-2.0
/**
 * Typed records over the rows of a store: {@link org.talos.server.metadata.rows.Table}, which all repositories share.
 * The packages inside it have the repositories and records by subject. Every call that reads or writes a row may block.
 */
@NullMarked
package org.talos.server.metadata.rows;

import org.jspecify.annotations.NullMarked;
