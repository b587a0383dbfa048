// SPDX-License-Identifier: Apache-2.0
/**
 * A server whose clocks and journals fail as files say, in a process of its own. Entry type:
 * {@link org.talos.check.faulty.FaultyServer}; the process that harms it writes those files.
 */
@NullMarked
package org.talos.check.faulty;

import org.jspecify.annotations.NullMarked;
