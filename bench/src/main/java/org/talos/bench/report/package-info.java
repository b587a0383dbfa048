/**
 * The reports of measuring commands: {@link org.talos.bench.report.RunReport} keeps the measures of one run in a folder
 * of its own, as a table, as figures for programs, as histograms, and as claims that hold or do not.
 */
@NullMarked
package org.talos.bench.report;

import org.jspecify.annotations.NullMarked;
