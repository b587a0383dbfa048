/**
 * Servers on this machine, as the quick start, the development cluster, the checker, and the benchmarks start them: a
 * process ({@link org.talos.launcher.local.SpawnedServer}), keys that several servers share, temporary folders, and the
 * cleanup at the end. No threads of its own.
 */
@NullMarked
package org.talos.launcher.local;

import org.jspecify.annotations.NullMarked;
