// SPDX-License-Identifier: Apache-2.0
/**
 * What must survive besides the messages: {@link org.talos.server.metadata.MetadataStore} is the seam, a table of rows
 * with one atomic step. Every call may block: not for network threads.
 */
@NullMarked
package org.talos.server.metadata;

import org.jspecify.annotations.NullMarked;
