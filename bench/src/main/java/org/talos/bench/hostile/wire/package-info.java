// SPDX-License-Identifier: Apache-2.0
/**
 * The bytes that clients of the hostile load send and may receive. Begin with
 * {@link org.talos.bench.hostile.wire.Check}.
 */
@NullMarked
package org.talos.bench.hostile.wire;

import org.jspecify.annotations.NullMarked;
