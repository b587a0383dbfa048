// SPDX-License-Identifier: Apache-2.0
/**
 * Rows kept in memory, and how they follow what other servers write. Entry type:
 * {@link org.talos.server.metadata.cache.TopicDirectory}. Look-ups never wait.
 */
@NullMarked
package org.talos.server.metadata.cache;

import org.jspecify.annotations.NullMarked;
