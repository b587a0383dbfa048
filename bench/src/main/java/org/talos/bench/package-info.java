/** What measures: {@code bin/talos bench}. {@link org.talos.bench.BenchCommands} puts its commands together. */
@NullMarked
package org.talos.bench;

import org.jspecify.annotations.NullMarked;
