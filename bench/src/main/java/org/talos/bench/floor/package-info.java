/**
 * The throughput of puts and gets, compared with the same Jetty with a handler that only answers:
 * {@link org.talos.bench.floor.FloorCommand} measures them, each server in a process of its own.
 */
@NullMarked
package org.talos.bench.floor;

import org.jspecify.annotations.NullMarked;
