/**
 * The whole {@code talos} command: the client's subcommands, a server, the quick start, and what measures.
 * {@link org.talos.bench.Main} puts them together.
 */
@NullMarked
package org.talos.bench;

import org.jspecify.annotations.NullMarked;
