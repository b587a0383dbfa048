/**
 * The report folder of a run, with its results and the settings and machine it ran on:
 * {@link org.talos.check.report.RunFolder}, used by the checker and by bench. No threads.
 */
@NullMarked
package org.talos.check.report;

import org.jspecify.annotations.NullMarked;
