/**
 * The throughput of large bodies, by size, clients and added delay: in a signed Thrift call, as the raw body of a REST
 * put, and over plain TCP. {@link org.talos.bench.payload.PayloadCommand} measures in a separate process, so that it
 * can have a network of its own.
 */
@NullMarked
package org.talos.bench.payload;

import org.jspecify.annotations.NullMarked;
