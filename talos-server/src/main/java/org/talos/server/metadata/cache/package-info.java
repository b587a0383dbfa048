// SPDX-License-Identifier: Apache-2.0
/**
 * Caches of rows, and how they are refreshed after other servers' writes. Entry type:
 * {@link org.talos.server.metadata.cache.TopicDirectory}. Lookups never block.
 */
@NullMarked
package org.talos.server.metadata.cache;

import org.jspecify.annotations.NullMarked;
