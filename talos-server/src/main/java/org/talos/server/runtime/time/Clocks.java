// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.time;

import java.time.InstantSource;

/**
 * The clocks of a server, which tests replace. Immutable.
 *
 * @param ticker measures durations
 * @param clock the time of day
 */
public record Clocks(Ticker ticker, InstantSource clock) {}
