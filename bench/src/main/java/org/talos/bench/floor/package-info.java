/**
 * How fast the server puts, beside the same Jetty with a handler that only reads:
 * {@link org.talos.bench.floor.FloorCommand} takes the measures, each server in a process of its own.
 */
@NullMarked
package org.talos.bench.floor;

import org.jspecify.annotations.NullMarked;
