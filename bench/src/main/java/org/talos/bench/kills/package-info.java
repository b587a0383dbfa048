/**
 * Checks that acknowledged messages survive when a server at full load is killed again and again: {@code bin/talos
 * bench kills}. {@link org.talos.bench.kills.KillsCommand} is the command, {@link org.talos.bench.kills.KillRun} one
 * run with one durability, {@link org.talos.bench.kills.Ledger} the acknowledgements of writers and the messages that
 * readers saw. The main thread kills; each writer and each partition's reader has a thread.
 */
@NullMarked
package org.talos.bench.kills;

import org.jspecify.annotations.NullMarked;
