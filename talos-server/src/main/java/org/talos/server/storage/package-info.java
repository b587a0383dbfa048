// SPDX-License-Identifier: Apache-2.0
/**
 * The storage of logs' bytes: {@link org.talos.server.storage.SegmentStore} and its implementations, one package each.
 * Knows files and bytes, but no messages and no metadata.
 */
@NullMarked
package org.talos.server.storage;

import org.jspecify.annotations.NullMarked;
