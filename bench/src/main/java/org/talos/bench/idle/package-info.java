/** The cost of idle connections: {@link org.talos.bench.idle.IdleCommand} has many wait, and wakes them. */
@NullMarked
package org.talos.bench.idle;

import org.jspecify.annotations.NullMarked;
