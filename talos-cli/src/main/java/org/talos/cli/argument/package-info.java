/** Values that users type, and their meanings: positions, times, durations, sizes. */
@NullMarked
package org.talos.cli.argument;

import org.jspecify.annotations.NullMarked;
