// SPDX-License-Identifier: Apache-2.0
/**
 * The code that runs inside a daemon's JVM before the daemon does. Entry type:
 * {@link org.talos.devcluster.daemon.DaemonMain}.
 */
@NullMarked
package org.talos.devcluster.daemon;

import org.jspecify.annotations.NullMarked;
