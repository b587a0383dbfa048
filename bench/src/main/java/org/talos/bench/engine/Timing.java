// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import java.time.Duration;

/**
 * The times of an experiment. Immutable.
 *
 * @param longestWarmUp bound of a warm-up that ends when the server's compilers are quiet
 * @param measured each case in each round
 */
public record Timing(Duration longestWarmUp, Duration measured, int rounds) {}
