// SPDX-License-Identifier: Apache-2.0
/**
 * A user beside the hostile load who reads messages that are known to the byte, and a person who signs in to the
 * console: {@link org.talos.bench.hostile.known.KnownReads} and {@link org.talos.bench.hostile.known.SignIns}.
 */
@NullMarked
package org.talos.bench.hostile.known;

import org.jspecify.annotations.NullMarked;
