/**
 * {@code talos top}: topics and groups as they change. {@link org.talos.cli.top.TopCommand} samples in a thread of its
 * own. The main thread draws the result of {@code TopView} for two samples, and reads keys.
 */
@NullMarked
package org.talos.cli.top;

import org.jspecify.annotations.NullMarked;
