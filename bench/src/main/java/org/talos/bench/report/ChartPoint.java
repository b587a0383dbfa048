// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

/** A point of a line in a chart, in the units of its axes. Immutable. */
public record ChartPoint(double x, double y) {}
