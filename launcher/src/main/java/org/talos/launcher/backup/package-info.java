// SPDX-License-Identifier: Apache-2.0
/** Backups of a data directory, and their restoration: {@code bin/talos backup} and {@code bin/talos restore}. */
@NullMarked
package org.talos.launcher.backup;

import org.jspecify.annotations.NullMarked;
