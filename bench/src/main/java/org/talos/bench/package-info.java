/** The benchmarks: {@code bin/talos bench}. {@link org.talos.bench.BenchCommands} assembles their commands. */
@NullMarked
package org.talos.bench;

import org.jspecify.annotations.NullMarked;
