/**
 * The executor compared with other ways to run handlers that block. {@link org.talos.bench.executor.BlockingCommand}
 * sends requests over sockets, {@link org.talos.bench.executor.ThreadsCommand} calls the executor alone.
 */
@NullMarked
package org.talos.bench.executor;

import org.jspecify.annotations.NullMarked;
