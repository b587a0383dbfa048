/**
 * {@code talos top}: topics and groups as they change. {@link org.talos.cli.top.TopCommand} samples in a thread of its
 * own; the main thread draws what {@code TopView} makes of two samples, and reads keys.
 */
@NullMarked
package org.talos.cli.top;

import org.jspecify.annotations.NullMarked;
