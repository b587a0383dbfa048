// SPDX-License-Identifier: Apache-2.0
/**
 * Which server owns which partition: {@link org.talos.server.cluster.Coordinator} is the seam. Its implementations
 * stand in packages below.
 */
@NullMarked
package org.talos.server.cluster;

import org.jspecify.annotations.NullMarked;
