// SPDX-License-Identifier: Apache-2.0
/**
 * What clients of the hostile load send and may receive, byte by byte. Begin with
 * {@link org.talos.bench.hostile.wire.Check}.
 */
@NullMarked
package org.talos.bench.hostile.wire;

import org.jspecify.annotations.NullMarked;
