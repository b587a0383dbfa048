/** Values that users type, and what they mean: positions, times, durations, sizes. */
@NullMarked
package org.talos.cli.argument;

import org.jspecify.annotations.NullMarked;
