/**
 * Measures how long partitions are without a server when they are moved, drained, or their server is restarted or
 * killed: {@code bin/talos bench moves}. {@link org.talos.bench.moves.MovesCommand} is the command,
 * {@link org.talos.bench.moves.Operations} does to three servers under load what operators and accidents do. The main
 * thread does that; {@link org.talos.bench.moves.PacedPuts} has a thread for each partition.
 */
@NullMarked
package org.talos.bench.moves;

import org.jspecify.annotations.NullMarked;
