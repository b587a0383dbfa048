// SPDX-License-Identifier: Apache-2.0
/**
 * Buffers that are lent to Jetty while it writes from them. {@link org.talos.server.http.lent.LentBuffer} is the rule
 * by which a buffer is used again, and {@link org.talos.server.http.lent.LentBuffers} is their pool.
 */
@NullMarked
package org.talos.server.http.lent;

import org.jspecify.annotations.NullMarked;
