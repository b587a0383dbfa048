/**
 * Micro-benchmarks of single steps, without a network: benchmarks of JMH, and
 * {@link org.talos.bench.micro.MicroCommand}, which runs them. JMH finds the benchmarks by a list that the compiler
 * writes.
 */
@NullMarked
package org.talos.bench.micro;

import org.jspecify.annotations.NullMarked;
