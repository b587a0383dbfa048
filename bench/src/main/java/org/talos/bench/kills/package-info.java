/**
 * Checks that acknowledged messages survive when a server at full load is killed again and again: {@code bin/talos
 * bench kills}. {@link org.talos.bench.kills.KillsCommand} is the command, {@link org.talos.bench.kills.KillRun} one
 * run with one durability, {@link org.talos.bench.kills.Ledger} the acknowledgements of writers and the messages that
 * readers saw. The main thread kills; each writer and each partition's reader has a thread.
 *
 * <p>The checker ({@code bench check --local --only kill}) has the same fault, but not the load. It records each
 * operation of paced clients, a hundred puts a second, and judges the whole history in memory. Here writers put as fast
 * as they can, so a run has millions of puts, and the ledger keeps a number for each. Only this command kills a given
 * number of times, and measures how soon a server takes puts again.
 */
@NullMarked
package org.talos.bench.kills;

import org.jspecify.annotations.NullMarked;
