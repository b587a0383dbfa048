// SPDX-License-Identifier: Apache-2.0
/**
 * The durable state besides the messages: {@link org.talos.server.metadata.MetadataStore} is the seam, rows changed by
 * compare-and-set. Every call may block: not for network threads.
 */
@NullMarked
package org.talos.server.metadata;

import org.jspecify.annotations.NullMarked;
