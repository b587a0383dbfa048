// SPDX-License-Identifier: Apache-2.0
/**
 * The parts that all measuring commands share. A command ({@link org.talos.bench.engine.ExperimentCommand}) declares
 * its options and hands an {@link org.talos.bench.engine.Experiment} to an
 * {@link org.talos.bench.engine.ExperimentRunner}, which measures the cases over the rounds, shows the progress, judges
 * the claims, and writes the report. {@link org.talos.bench.engine.Results} has the medians and the ratios.
 */
@NullMarked
package org.talos.bench.engine;

import org.jspecify.annotations.NullMarked;
