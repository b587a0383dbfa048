/**
 * Fault injection: {@link org.talos.check.nemesis.Nemesis} draws faults from a seed, on
 * {@link org.talos.check.nemesis.SystemUnderTest}, a development cluster with Talos servers of its own.
 */
@NullMarked
package org.talos.check.nemesis;

import org.jspecify.annotations.NullMarked;
