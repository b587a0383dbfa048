// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import org.talos.server.memory.MemoryBudget;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;

/**
 * The bounds, the memory, and the clocks that the requests to all servers share. Immutable.
 *
 * @param maxFrameBytes largest request
 * @param mostInFlight most requests in flight to one server, and most that wait for messages there; users share each of
 *     the two
 */
public record TransferParts(
        int maxFrameBytes, int mostInFlight, MemoryBudget memory, TimerWheel timers, Ticker ticker) {}
