/**
 * The experiments of published reports, each a command that prints what was claimed beside what is measured here:
 * {@link org.talos.bench.experiment.Talos216Command}, {@link org.talos.bench.experiment.CapacityCommand}.
 */
@NullMarked
package org.talos.bench.experiment;

import org.jspecify.annotations.NullMarked;
