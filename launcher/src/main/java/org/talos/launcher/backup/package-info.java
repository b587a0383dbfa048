// SPDX-License-Identifier: Apache-2.0
/**
 * Copies of a data directory, to a place of safety and back: {@code bin/talos backup} and {@code bin/talos restore}.
 */
@NullMarked
package org.talos.launcher.backup;

import org.jspecify.annotations.NullMarked;
